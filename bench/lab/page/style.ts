/** One look for wide and narrow windows, light and dark; severities differ in shape and word, not in colour alone. */
export const STYLE = `
:root{--ink:#1d2126;--soft:#4a515b;--line:#d6dae0;--plot:#f6f7f9;--paper:#fff;--band:#c9d0d9;--seen:#8a95a5;
--high:#a3160e;--medium:#9a5800;--low:#5d646d;--link:#0b57a4;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8eb;--soft:#b3bac4;--line:#3a414b;--plot:#1d2229;--paper:#14171c;
--band:#39424e;--seen:#65707f;--high:#ff8f85;--medium:#f2b45c;--low:#a6aeb9;--link:#8ab8f0}}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;padding:20px 16px 60px;max-width:1000px;color:var(--ink);background:var(--paper)}
h1{font-size:24px;margin:0 0 8px}h2{font-size:18px;margin:32px 0 6px}h3{font-size:16px;margin:0 0 2px;overflow-wrap:anywhere}
p{margin:2px 0 6px;color:var(--soft)}a{color:var(--link)}
section{margin:30px 0 0;padding-top:14px;border-top:1px solid var(--line)}
table{border-collapse:collapse;font-size:14px}th,td{text-align:left;padding:3px 14px 3px 0;vertical-align:top}
th{color:var(--soft);font-weight:600;border-bottom:1px solid var(--line)}
.number,.verdict{white-space:nowrap}.number{text-align:right}.bad{color:var(--high);font-weight:600}
.plot{border:1px solid var(--line);background:var(--plot);padding:6px 16px 2px 10px}
.row{display:grid;grid-template-columns:220px 1fr;align-items:center;min-height:24px;font-size:13px}.name{padding-right:10px}
.track{position:relative;height:20px}.track>*{position:absolute}.track i{top:2px;height:16px;min-width:2px}
.line{background:linear-gradient(var(--line),var(--line)) 0 50%/100% 1px no-repeat}.axis{height:32px}
.mark{width:20px;height:20px;margin-left:-10px;overflow:visible}.looks{width:100%;height:7px;left:0;top:2px;overflow:visible}
.hour{top:11px;color:var(--soft);font-size:12px;white-space:nowrap}
.legend{list-style:none;margin:8px 0;padding:0;display:flex;flex-wrap:wrap;gap:4px 18px}.legend svg{vertical-align:-4px;margin-right:5px}
ul.facts{margin:6px 0;padding-left:20px;overflow-wrap:anywhere}summary{cursor:pointer}
pre{background:var(--plot);padding:12px;overflow:auto;font-size:12px}td.what{overflow-wrap:anywhere}
.high{color:var(--high);fill:var(--high)}.medium{color:var(--medium);fill:var(--medium)}.low{color:var(--low);fill:none;stroke:var(--low)}
td.high,td.medium{font-weight:600}.frame{fill:none;stroke:var(--ink)}
.band{background:var(--band);fill:var(--band)}.seen{background:var(--seen);fill:var(--seen)}.stroke{stroke:var(--soft)}
@media (max-width:640px){td,th{padding-right:10px}.wide{display:none}.verdict{white-space:normal}td:first-child{overflow-wrap:anywhere}
.row{grid-template-columns:1fr;padding-top:2px}.name:empty{display:none}}
`;
