#!/usr/bin/env python3
"""Puts entries of a new fit into a calibration and leaves all others as they are: FILE.toml to standard output.

A fit of all rows moves every constant a little along directions that its rows do not determine. New measurements of one
architecture need not move what was checked on others: only the entries that they bear on are taken.

    tools/take_entries.py data/calibration/public.toml new.toml --scope Hopper,h100-sxm5-80gb --family tensor,attention
"""

import argparse
import difflib
import re
import sys


def blocks_of(path):
    """What stands before the first block, and the text of each block by its key."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head, *rest = re.split(r"(?m)^(?=\[\[)", text)
    blocks = {}
    for block in rest:
        key = key_of(block)
        if key in blocks:
            sys.exit(f"{path}: two blocks of {described(key)}")
        blocks[key] = block.rstrip() + "\n\n"
    return head, blocks


def key_of(block):
    field = {name: value for name, value in re.findall(r'(?m)^(family|scope|framework|gpu|vendor) = "([^"]*)"', block)}
    return re.match(r"\[\[(\w+)\]\]", block)[1], tuple(sorted(field.items()))


def described(key):
    kind, fields = key
    return " ".join([kind, *(f'{name} = "{value}"' for name, value in fields)])


def unmatched(arguments, new):
    """Names asked for that no block of the new fit has, each with the nearest that one has."""
    found = [(kind, dict(fields)) for kind, fields in new]
    families = {fields["family"] for _, fields in found if "family" in fields}
    known = {"scope": {fields[place] for _, fields in found for place in ("scope", "gpu") if place in fields},
             "family": families, "whole": families,
             "harness": {fields["framework"] for kind, fields in found if kind == "harness" and "framework" in fields}}
    for option, names in known.items():
        for name in getattr(arguments, option):
            if name not in names:
                near = difflib.get_close_matches(name, sorted(names), 1, cutoff=0)
                yield f"no --{option} {name!r}" + (f" (nearest: {near[0]!r})" if near else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base")
    parser.add_argument("new")
    names = {"type": lambda text: [name.strip() for name in text.split(",")], "default": []}
    parser.add_argument("--scope", **names, help="architectures and GPUs whose entries and harnesses are taken")
    parser.add_argument("--family", **names, help="families that are taken (all)")
    parser.add_argument("--whole", **names, help="families that are taken whatever the scope")
    parser.add_argument("--harness", **names, help="frameworks whose harnesses are taken")
    parser.add_argument("--foreign", action="store_true", help="intervals of GPUs and frameworks that nobody measured")
    arguments = parser.parse_args()
    if not (arguments.scope or arguments.whole or arguments.harness or arguments.foreign):
        parser.error("say what to take: --scope, --whole, --harness or --foreign")
    try:
        head, base = blocks_of(arguments.base)
        _, new = blocks_of(arguments.new)
    except OSError as error:
        parser.error(str(error))

    def is_taken(kind, fields):
        if fields.get("family") in arguments.whole or (kind == "foreign" and arguments.foreign):
            return True
        if arguments.family and fields.get("family") not in arguments.family:
            return False
        if kind == "harness":
            return fields.get("framework") in arguments.harness or fields.get("gpu") in arguments.scope
        return fields.get("scope") in arguments.scope

    taken = {key: block for key, block in new.items() if is_taken(key[0], dict(key[1]))}
    wrong = list(unmatched(arguments, new))
    if wrong or not taken:
        sys.exit(f"{arguments.new}: {', '.join(wrong) or 'no block is of both the scope and the family'}")
    written = [head]
    last = {}
    for key, block in base.items():
        last[key[0], dict(key[1]).get("family")] = len(written)
        written.append(taken.pop(key, block))
    for (kind, fields), block in taken.items():  # behind those of its kind and family
        written[last.get((kind, dict(fields).get("family")), len(written) - 1)] += block
    print("".join(written).rstrip())


if __name__ == "__main__":
    main()
