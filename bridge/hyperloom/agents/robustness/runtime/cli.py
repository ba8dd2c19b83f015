"""Becomes robustness-agent: this process is replaced, so process id, signals, streams and exit code are the agent's.

Environment: ROBUSTNESS_AGENT_BIN names another program than the one of this package, ROBUSTNESS_AGENT_NODE another Node
than the one on PATH. When something is missing, the first line on standard error says what, and the exit code is 2.
"""

import os
import sys

BRIDGE = os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))
LAUNCHER = os.path.join(BRIDGE, "launch.cjs")
OWN_CLI = os.path.join(os.path.dirname(BRIDGE), "dist", "cli.js")
EXIT_FAILURE = 2


class Missing(Exception):
    """Something that has to be there is not; the text is the whole line for standard error."""


def find_cli(env):
    """The agent's program: a script for Node or an executable.

    :raises Missing: RA_BRIDGE_CLI
    """
    named = env.get("ROBUSTNESS_AGENT_BIN", "")
    if named == "":
        if os.path.isfile(OWN_CLI):
            return OWN_CLI
        raise Missing(
            f"RA_BRIDGE_CLI: {OWN_CLI} is missing; expected the program beside the bridge; "
            "install robustness-agent again, or set ROBUSTNESS_AGENT_BIN to its program"
        )
    cli = os.path.realpath(os.path.expanduser(named))
    if is_script(cli) and os.path.isfile(cli) or is_executable(cli):
        return cli
    raise Missing(
        f"RA_BRIDGE_CLI: ROBUSTNESS_AGENT_BIN is {named}; expected an executable file or a script for Node; "
        "correct it, or unset it to run the program beside the bridge"
    )


def find_node(env):
    """The Node to run a script with.

    :raises Missing: RA_BRIDGE_NODE
    """
    named = env.get("ROBUSTNESS_AGENT_NODE", "")
    node = search(os.path.expanduser(named or "node"), env.get("PATH", os.defpath))
    if node is not None:
        return node
    if named != "":
        raise Missing(
            f"RA_BRIDGE_NODE: ROBUSTNESS_AGENT_NODE is {named}; expected an executable file; "
            "correct it, or unset it to use the Node on PATH"
        )
    raise Missing(
        "RA_BRIDGE_NODE: there is no node on PATH; expected Node 20.19 or newer; "
        "install it, or set ROBUSTNESS_AGENT_NODE to its program"
    )


def search(name, path):
    """On PATH, but not in the working directory; `shutil` would take longer to load than all the rest of this file to run."""
    if os.sep in name:
        return name if is_executable(name) else None
    places = (os.path.join(directory, name) for directory in path.split(os.pathsep) if os.path.isabs(directory))
    return next(filter(is_executable, places), None)


def is_script(path):
    return path.endswith((".js", ".cjs"))


def is_executable(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def command(arguments, env):
    """The program to become and its arguments."""
    cli = find_cli(env)
    if not is_script(cli):
        restore_signals()
        return cli, [cli, *arguments]
    node = find_node(env)
    # The launcher refuses a Node that is too old to read the program.
    return node, [node, LAUNCHER, cli, *arguments]


def restore_signals():
    # Python ignores these two and the next program would inherit that; Node sets its own at every start.
    import signal

    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


def become(program, arguments, env):
    """Returns only when it failed, and then why."""
    try:
        os.execve(program, arguments, env)
    except OSError as error:
        return f"RA_BRIDGE_START: {program} cannot be started: {error.strerror}; expected a program for this machine"


def main():
    try:
        line = become(*command(sys.argv[1:], os.environ), os.environ)
    except Missing as missing:
        line = missing
    print(line, file=sys.stderr)
    sys.exit(EXIT_FAILURE)


if __name__ == "__main__":
    main()
