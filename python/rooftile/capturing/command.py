"""python -m rooftile capture SCRIPT [-o FILE] [--steps N] [-- ARGS…]"""

import argparse
import sys

from .errors import Error
from .script import capture_script, user_traceback


def main(arguments):
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m rooftile capture",
        description="Capture a step of a PyTorch script without a GPU, for 'rooftile predict FILE.json --gpu ID'.")
    parser.add_argument("script", metavar="SCRIPT", help="a Python program that trains or runs a network on 'cuda'")
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="where to write the step (default: standard output)")
    parser.add_argument("--steps", type=int, default=1, metavar="N", help="steps that count as one (default: 1)")
    parser.add_argument("--name", help="of the network in reports (default: the script's)")
    own, of_script = (arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:]) \
        if "--" in arguments else (arguments, [])
    chosen = parser.parse_args(own)
    if chosen.steps < 1:
        parser.error(f"--steps: {chosen.steps} is not at least 1")
    try:
        step = capture_script(chosen.script, of_script, chosen.steps, chosen.name)
        if chosen.output == "-":
            sys.stdout.write(step.to_json() + "\n")
        else:
            step.save(chosen.output)
    except Error as error:
        print(f"rooftile: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        if error.filename != chosen.output:
            sys.stderr.write(user_traceback(error, chosen.script))
            return 1
        print(f"rooftile: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except Exception as error:  # the script's own
        sys.stderr.write(user_traceback(error, chosen.script))
        return 1
    return 0
