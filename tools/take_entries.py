#!/usr/bin/env python3
"""Puts entries of a new fit into a calibration and leaves all others as they are: FILE.toml to standard output.

A fit of all rows moves every constant a little along directions that its rows do not determine. New measurements of one
architecture need not move what was checked on others: only the entries that they bear on are taken.

    tools/take_entries.py data/calibration/public.toml new.toml --scope Hopper,h100-sxm5-80gb --family tensor,attention
"""

import argparse
import re


def blocks_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head, *rest = re.split(r"(?m)^(?=\[\[)", text)
    return head, rest


def key_of(block):
    field = {name: value for name, value in re.findall(r'(?m)^(family|scope|framework|gpu|vendor) = "([^"]*)"', block)}
    return re.match(r"\[\[(\w+)\]\]", block)[1], tuple(sorted(field.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base")
    parser.add_argument("new")
    names = {"type": lambda text: text.split(","), "default": []}
    parser.add_argument("--scope", **names, help="architectures and GPUs whose entries and harnesses are taken")
    parser.add_argument("--family", **names, help="families that are taken (all)")
    parser.add_argument("--whole", **names, help="families that are taken whatever the scope")
    parser.add_argument("--harness", **names, help="frameworks whose harnesses are taken")
    arguments = parser.parse_args()

    def is_taken(kind, fields):
        if fields["family"] in arguments.whole:
            return True
        if arguments.family and fields["family"] not in arguments.family:
            return False
        if kind == "harness":
            return fields["framework"] in arguments.harness or fields.get("gpu") in arguments.scope
        return fields.get("scope") in arguments.scope

    head, base = blocks_of(arguments.base)
    taken = {}
    for block in blocks_of(arguments.new)[1]:
        kind, fields = key_of(block)
        if is_taken(kind, dict(fields)):
            taken[kind, fields] = block.rstrip() + "\n\n"
    written = [taken.pop(key_of(block), block.rstrip() + "\n\n") for block in base]
    last = {}
    for i, block in enumerate(written):
        kind, fields = key_of(block)
        last[kind, dict(fields).get("family")] = i
    for (kind, fields), block in taken.items():  # behind those of its kind and family
        written[last[kind, dict(fields)["family"]]] += block
    print((head + "".join(written)).rstrip())


if __name__ == "__main__":
    main()
