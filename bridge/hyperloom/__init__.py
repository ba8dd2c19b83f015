"""Shadows ``hyperloom`` for one call: ``python -m hyperloom.agents.robustness.runtime.cli``.

In any other process that has this directory on its path, the installed package takes this one's place.
"""

import sys

_SHADOWED = "hyperloom.agents.robustness.runtime.cli"


def _is_the_call():
    # While `python -m` looks for its module, argv is ["-m", arguments...]; Python's own options come before them.
    if sys.argv[:1] != ["-m"]:
        return False
    module = sys.orig_argv[len(sys.orig_argv) - len(sys.argv)]
    return module == _SHADOWED or (module.startswith("-") and module.endswith("m" + _SHADOWED))


def _step_aside():
    import importlib.util
    import os

    bridge = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    path = [entry for entry in sys.path if os.path.realpath(entry or os.getcwd()) != bridge]
    for finder in sys.meta_path:
        spec = finder.find_spec(__name__, path)
        if spec is not None:
            break
    else:
        raise ModuleNotFoundError(f"No module named {__name__!r}", name=__name__)
    installed = importlib.util.module_from_spec(spec)
    # The import system hands out what stands here once this module has run.
    sys.modules[__name__] = installed
    if spec.loader is not None:
        spec.loader.exec_module(installed)


if not _is_the_call():
    _step_aside()
