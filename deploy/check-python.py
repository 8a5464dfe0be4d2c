"""Checks that this interpreter can build the wheel of roomclient. Otherwise prints what is missing and the commands that fix it.

Python 2 compiles this file too, so that an old interpreter prints the reason instead of a syntax error.
"""

import sys


def has(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True


def missing():
    """Returns the names of what the interpreter lacks."""
    if sys.version_info < (3, 9):
        return ["Python 3.9 or newer"]
    lacks = []
    # Before pip, whose import lets older versions of setuptools fail.
    if not has("setuptools.command.bdist_wheel"):
        # The package wheel has the command for them, and 61 is the first that reads [project] of pyproject.toml.
        if not has("wheel.bdist_wheel") or int(sys.modules["setuptools"].__version__.split(".")[0]) < 61:
            lacks.append("setuptools 70.1 or newer")
    if not has("pip"):
        lacks.append("pip")
    return lacks


def fix(lacks):
    """Returns the commands that install it. Debian's interpreter refuses pip (PEP 668) outside a virtual environment."""
    if lacks[0].startswith("Python"):
        return ["PYTHON=/path/to/a/newer/python3 deploy/build-wheel.sh"]
    python, steps = sys.executable, []
    if sys.prefix == sys.base_prefix:
        if not has("ensurepip"):
            steps.append("sudo apt-get install python%d.%d-venv" % sys.version_info[:2])
        steps += [python + " -m venv .venv-client", ". .venv-client/bin/activate"]
        python = "python"
    elif "pip" in lacks:
        steps.append(python + " -m ensurepip")
    return steps + [python + " -m pip install --upgrade 'setuptools>=70.1'"]


lacks = missing()
if lacks:
    version = ".".join(map(str, sys.version_info[:3]))
    sys.stderr.write("error: %s is Python %s; the wheel needs %s. Run:\n" % (sys.executable, version, " and ".join(lacks)))
    sys.stderr.write("".join("  %s\n" % step for step in fix(lacks)))
    sys.exit(1)
