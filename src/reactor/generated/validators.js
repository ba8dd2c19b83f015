// Generated from schemas/ by `npm run generate`; change the schemas instead.
var P=p;var b=new RegExp("\\S","u");function u(e,{instancePath:t="",parentData:k,parentDataProperty:w,rootData:h=e}={}){let a=null,
r=0;if(r===0)if(e&&typeof e=="object"&&!Array.isArray(e)){let f;if(e.topic===void 0&&(f="topic"))return u.errors=[{instancePath:t,
keyword:"required"}],!1;if(e.topic!==void 0){let n=e.topic,i=r;if(r===r)if(typeof n=="string"){if(!b.test(n))return u.errors=
[{instancePath:t+"/topic",keyword:"pattern"}],!1}else return u.errors=[{instancePath:t+"/topic",keyword:"type"}],!1;var s=i===
r}else var s=!0;if(s){if(e.body_md!==void 0){let n=r;if(typeof e.body_md!="string")return u.errors=[{instancePath:t+"/bo\
dy_md",keyword:"type"}],!1;var s=n===r}else var s=!0;if(s){if(e.to!==void 0){let n=r;if(typeof e.to!="string")return u.errors=
[{instancePath:t+"/to",keyword:"type"}],!1;var s=n===r}else var s=!0;if(s)if(e.detail!==void 0){let n=e.detail,i=r;if(!(n&&
typeof n=="object"&&!Array.isArray(n)))return u.errors=[{instancePath:t+"/detail",keyword:"type"}],!1;var s=i===r}else var s=!0}}}else
return u.errors=[{instancePath:t,keyword:"type"}],!1;return u.errors=a,r===0}function d(e,{instancePath:t="",parentData:k,parentDataProperty:w,rootData:h=e}={}){let a=null,r=0;if(r===0)if(e&&typeof e==
"object"&&!Array.isArray(e)){let n;if(e.action_name===void 0&&(n="action_name")||e.params===void 0&&(n="params"))return d.
errors=[{instancePath:t,keyword:"required"}],!1;if(e.action_name!==void 0){let i=r;if(e.action_name!=="recover")return d.
errors=[{instancePath:t+"/action_name",keyword:"const"}],!1;var s=i===r}else var s=!0;if(s){if(e.params!==void 0){let i=e.
params,c=r;if(r===c)if(i&&typeof i=="object"&&!Array.isArray(i)){let g;if(i.reason===void 0&&(g="reason")||i.evidence===
void 0&&(g="evidence"))return d.errors=[{instancePath:t+"/params",keyword:"required"}],!1;if(i.reason!==void 0){let y=i.
reason,l=r;if(r===r)if(typeof y=="string"){if(!b.test(y))return d.errors=[{instancePath:t+"/params/reason",keyword:"patt\
ern"}],!1}else return d.errors=[{instancePath:t+"/params/reason",keyword:"type"}],!1;var f=l===r}else var f=!0;if(f){if(i.
force_gpu_cleanup!==void 0){let y=r;if(typeof i.force_gpu_cleanup!="boolean")return d.errors=[{instancePath:t+"/params/f\
orce_gpu_cleanup",keyword:"type"}],!1;var f=y===r}else var f=!0;if(f){if(i.evidence!==void 0){let y=i.evidence,l=r;if(r===
r)if(y&&typeof y=="object"&&!Array.isArray(y)){if(y.truncated!==void 0&&typeof y.truncated!="boolean")return d.errors=[{
instancePath:t+"/params/evidence/truncated",keyword:"type"}],!1}else return d.errors=[{instancePath:t+"/params/evidence",
keyword:"type"}],!1;if(r===l)if(y&&typeof y=="object"&&!Array.isArray(y)){if(Object.keys(y).length<1)return d.errors=[{instancePath:t+
"/params/evidence",keyword:"minProperties"}],!1}else return d.errors=[{instancePath:t+"/params/evidence",keyword:"type"}],
!1;var f=l===r}else var f=!0;if(f)if(i.also!==void 0){let y=r;if(!Array.isArray(i.also))return d.errors=[{instancePath:t+
"/params/also",keyword:"type"}],!1;var f=y===r}else var f=!0}}}else return d.errors=[{instancePath:t+"/params",keyword:"\
type"}],!1;var s=c===r}else var s=!0;if(s)if(e.idempotency_key!==void 0){let i=r;if(typeof e.idempotency_key!="string")return d.
errors=[{instancePath:t+"/idempotency_key",keyword:"type"}],!1;var s=i===r}else var s=!0}}else return d.errors=[{instancePath:t,
keyword:"type"}],!1;return d.errors=a,r===0}function m(e,{instancePath:t="",parentData:k,parentDataProperty:w,rootData:h=e}={}){let a=null,r=0;if(r===0)if(e&&typeof e==
"object"&&!Array.isArray(e)){let f;if(e.severity===void 0&&(f="severity")||e.summary===void 0&&(f="summary"))return m.errors=
[{instancePath:t,keyword:"required"}],!1;if(e.severity!==void 0){let n=e.severity,i=r;if(!(n==="low"||n==="medium"||n===
"high"))return m.errors=[{instancePath:t+"/severity",keyword:"enum"}],!1;var s=i===r}else var s=!0;if(s){if(e.summary!==
void 0){let n=e.summary,i=r;if(r===r)if(typeof n=="string"){if(!b.test(n))return m.errors=[{instancePath:t+"/summary",keyword:"\
pattern"}],!1}else return m.errors=[{instancePath:t+"/summary",keyword:"type"}],!1;var s=i===r}else var s=!0;if(s)if(e.detail!==
void 0){let n=e.detail,i=r;if(!(n&&typeof n=="object"&&!Array.isArray(n)))return m.errors=[{instancePath:t+"/detail",keyword:"\
type"}],!1;var s=i===r}else var s=!0}}else return m.errors=[{instancePath:t,keyword:"type"}],!1;return m.errors=a,r===0}function _(e,{instancePath:t="",parentData:k,parentDataProperty:w,rootData:h=e}={}){let a=null,r=0;if(r===0)if(e&&typeof e==
"object"&&!Array.isArray(e)){let f;if(e.family===void 0&&(f="family")||e.reason===void 0&&(f="reason"))return _.errors=[
{instancePath:t,keyword:"required"}],!1;if(e.family!==void 0){let n=e.family,i=r;if(r===r)if(typeof n=="string"){if(!b.test(
n))return _.errors=[{instancePath:t+"/family",keyword:"pattern"}],!1}else return _.errors=[{instancePath:t+"/family",keyword:"\
type"}],!1;var s=i===r}else var s=!0;if(s){if(e.reason!==void 0){let n=e.reason,i=r;if(r===r)if(typeof n=="string"){if(!b.
test(n))return _.errors=[{instancePath:t+"/reason",keyword:"pattern"}],!1}else return _.errors=[{instancePath:t+"/reason",
keyword:"type"}],!1;var s=i===r}else var s=!0;if(s)if(e.scope!==void 0){let n=e.scope,i=r;if(!(n==="family"||n==="queued"))
return _.errors=[{instancePath:t+"/scope",keyword:"enum"}],!1;var s=i===r}else var s=!0}}else return _.errors=[{instancePath:t,
keyword:"type"}],!1;return _.errors=a,r===0}function v(e,{instancePath:t="",parentData:k,parentDataProperty:w,rootData:h=e}={}){let a=null,r=0;if(r===0)if(e&&typeof e==
"object"&&!Array.isArray(e)){let f;if(e.reason===void 0&&(f="reason")||e.next_action_hint===void 0&&(f="next_action_hint"))
return v.errors=[{instancePath:t,keyword:"required"}],!1;if(e.reason!==void 0){let n=e.reason,i=r;if(r===r)if(typeof n==
"string"){if(!b.test(n))return v.errors=[{instancePath:t+"/reason",keyword:"pattern"}],!1}else return v.errors=[{instancePath:t+
"/reason",keyword:"type"}],!1;var s=i===r}else var s=!0;if(s){if(e.next_action_hint!==void 0){let n=e.next_action_hint,i=r;
if(r===r)if(typeof n=="string"){if(!b.test(n))return v.errors=[{instancePath:t+"/next_action_hint",keyword:"pattern"}],!1}else
return v.errors=[{instancePath:t+"/next_action_hint",keyword:"type"}],!1;var s=i===r}else var s=!0;if(s)if(e.severity!==
void 0){let n=e.severity,i=r;if(!(n==="low"||n==="medium"||n==="high"))return v.errors=[{instancePath:t+"/severity",keyword:"\
enum"}],!1;var s=i===r}else var s=!0}}else return v.errors=[{instancePath:t,keyword:"type"}],!1;return v.errors=a,r===0}
function p(e,{instancePath:t="",parentData:k,parentDataProperty:w,rootData:h=e}={}){let a=null,r=0;if(r===0)if(e&&typeof e==
"object"&&!Array.isArray(e)){let y;if(e.intent_type===void 0&&(y="intent_type")||e.payload===void 0&&(y="payload"))return p.
errors=[{instancePath:t,keyword:"required"}],!1;if(e.intent_type!==void 0){let l=e.intent_type,o=r;if(!(l==="send_messag\
e"||l==="delegate"||l==="update_state"||l==="alert"||l==="prune_branch"||l==="escalate_strategy_change"))return p.errors=
[{instancePath:t+"/intent_type",keyword:"enum"}],!1;var s=o===r}else var s=!0;if(s){if(e.payload!==void 0){let l=e.payload,
o=r;if(!(l&&typeof l=="object"&&!Array.isArray(l)))return p.errors=[{instancePath:t+"/payload",keyword:"type"}],!1;var s=o===
r}else var s=!0;if(s){let l=e.intent_type;if(typeof l=="string")if(l==="send_message"){if(e&&typeof e=="object"&&!Array.
isArray(e)){if(e.intent_type!==void 0){let o=r;if(e.intent_type!=="send_message")return p.errors=[{instancePath:t+"/inte\
nt_type",keyword:"const"}],!1;var f=o===r}else var f=!0;if(f)if(e.payload!==void 0){let o=r;u(e.payload,{instancePath:t+
"/payload"})||(a=a===null?u.errors:a.concat(u.errors),r=a.length);var f=o===r}else var f=!0}}else if(l==="delegate"){if(e&&
typeof e=="object"&&!Array.isArray(e)){if(e.intent_type!==void 0){let o=r;if(e.intent_type!=="delegate")return p.errors=
[{instancePath:t+"/intent_type",keyword:"const"}],!1;var n=o===r}else var n=!0;if(n)if(e.payload!==void 0){let o=r;d(e.payload,
{instancePath:t+"/payload"})||(a=a===null?d.errors:a.concat(d.errors),r=a.length);var n=o===r}else var n=!0}}else if(l===
"update_state"){if(e&&typeof e=="object"&&!Array.isArray(e)){if(e.intent_type!==void 0){let o=r;if(e.intent_type!=="upda\
te_state")return p.errors=[{instancePath:t+"/intent_type",keyword:"const"}],!1;var i=o===r}else var i=!0;if(i)if(e.payload!==
void 0){let o=e.payload,q=r;if(r===r)if(o&&typeof o=="object"&&!Array.isArray(o)){let D;if(o.changes===void 0&&(D="chang\
es"))return p.errors=[{instancePath:t+"/payload",keyword:"required"}],!1;if(o.changes!==void 0){let $=o.changes;if(r===r)
if($&&typeof $=="object"&&!Array.isArray($)){if(Object.keys($).length<1)return p.errors=[{instancePath:t+"/payload/chang\
es",keyword:"minProperties"}],!1;for(let A in $)if(!(A==="crash_count"||A==="current_action")){return p.errors=[{instancePath:t+
"/payload/changes",keyword:"additionalProperties"}],!1;break}}else return p.errors=[{instancePath:t+"/payload/changes",keyword:"\
type"}],!1}}else return p.errors=[{instancePath:t+"/payload",keyword:"type"}],!1;var i=q===r}else var i=!0}}else if(l===
"alert"){if(e&&typeof e=="object"&&!Array.isArray(e)){if(e.intent_type!==void 0){let o=r;if(e.intent_type!=="alert")return p.
errors=[{instancePath:t+"/intent_type",keyword:"const"}],!1;var c=o===r}else var c=!0;if(c)if(e.payload!==void 0){let o=r;
m(e.payload,{instancePath:t+"/payload"})||(a=a===null?m.errors:a.concat(m.errors),r=a.length);var c=o===r}else var c=!0}}else if(l===
"prune_branch"){if(e&&typeof e=="object"&&!Array.isArray(e)){if(e.intent_type!==void 0){let o=r;if(e.intent_type!=="prun\
e_branch")return p.errors=[{instancePath:t+"/intent_type",keyword:"const"}],!1;var j=o===r}else var j=!0;if(j)if(e.payload!==
void 0){let o=r;_(e.payload,{instancePath:t+"/payload"})||(a=a===null?_.errors:a.concat(_.errors),r=a.length);var j=o===
r}else var j=!0}}else if(l==="escalate_strategy_change"){if(e&&typeof e=="object"&&!Array.isArray(e)){if(e.intent_type!==
void 0){let o=r;if(e.intent_type!=="escalate_strategy_change")return p.errors=[{instancePath:t+"/intent_type",keyword:"c\
onst"}],!1;var g=o===r}else var g=!0;if(g)if(e.payload!==void 0){let o=r;v(e.payload,{instancePath:t+"/payload"})||(a=a===
null?v.errors:a.concat(v.errors),r=a.length);var g=o===r}else var g=!0}}else return p.errors=[{instancePath:t,keyword:"d\
iscriminator"}],!1;else return p.errors=[{instancePath:t,keyword:"discriminator"}],!1}}}else return p.errors=[{instancePath:t,
keyword:"type"}],!1;return p.errors=a,r===0}export{P as validateIntent};
