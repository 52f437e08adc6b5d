"""python -m rooftile: the commands that need Python."""

import sys


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] != "capture":
        print("usage: python -m rooftile capture SCRIPT [-o FILE] [-- ARGS…]", file=sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    try:
        from rooftile.capturing.command import main as capture
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        print("rooftile: PyTorch is needed to capture a script (Debian: python3-torch)", file=sys.stderr)
        return 1
    return capture(arguments[1:])


if __name__ == "__main__":
    sys.exit(main())
