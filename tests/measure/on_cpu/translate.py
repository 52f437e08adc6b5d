#!/usr/bin/env python3
"""Turns the CUDA sources of rooftile-measure into C++ that runs on the CPU (on_cpu.hpp): launches, PTX and shared memory.

usage: translate.py FROM TO    every .cu, .cuh, .cpp and .hpp under FROM, into the same places under TO; x.cu becomes x.cu.cpp
"""
import pathlib
import re
import sys


def end_of_string(text, at):
    """Where the quotes are that close the string which begins at `at`."""
    at += 1
    while text[at] != '"':
        at += 2 if text[at] == '\\' else 1
    return at


def closing(text, at):
    """Where the bracket that opens at `at` is closed; brackets in strings do not count."""
    depth = 0
    i = at
    while i < len(text):
        c = text[i]
        if c == '"':
            i = end_of_string(text, i)
        elif c in '([{':
            depth += 1
        elif c in ')]}':
            depth -= 1
            if depth == 0:
                return i
        i += 1
    raise ValueError('a bracket is not closed')


def split(text, separator):
    """The parts of `text` between separators that stand in no bracket and no string; '::' is no ':'."""
    parts, start, i = [], 0, 0
    while i < len(text):
        c = text[i]
        if c == '"':
            i = end_of_string(text, i)
        elif c in '([{':
            i = closing(text, i)
        elif c == separator:
            parts.append(text[start:i])
            start = i + 1
        i += 1
    parts.append(text[start:])
    return parts


def operands(text):
    """The expressions of a list of asm operands: "=r"(a), "+f"(b)."""
    found = []
    for operand in split(text.replace('\\\n', ' '), ','):
        if operand.strip():
            opened = operand.index('(')
            found.append(operand[opened:closing(operand, opened) + 1])
    return found


def translate_asm(text):
    """asm volatile("ptx" : out : in : clobbered) as a call that interprets the text."""
    out, at = [], 0
    for match in re.finditer(r'\basm volatile\(', text):
        end = closing(text, match.end() - 1)
        sections = split(text[match.end():end], ':')
        sections += [''] * (3 - len(sections))
        continued = '\\\n' in sections[0]
        ptx = sections[0].replace('\\\n', ' ')
        call = ('([&] { static const on_cpu::Instruction ptx(%s); ptx.run({%s}, {%s}); }())' %
                (ptx.strip(), ', '.join('on_cpu::place(%s)' % o for o in operands(sections[1])),
                 ', '.join('on_cpu::Value(%s)' % o for o in operands(sections[2]))))
        call = re.sub(r'\s*\n\s*', ' ' if continued else '\n', call)
        out += [text[at:match.start()], call]
        at = end + 1
    return ''.join(out) + text[at:]


def translate_launches(text):
    """kernel<<<config>>>(arguments) as on_cpu::queued(kernel, {config})(arguments)."""
    while '<<<' in text:
        opened = text.index('<<<')
        end = text.index('>>>', opened)
        start = opened
        while text[start - 1].isspace():
            start -= 1
        if text[start - 1] == '>':  # template arguments
            depth = 0
            while True:
                start -= 1
                depth += {'>': 1, '<': -1}.get(text[start], 0)
                if depth == 0:
                    break
        while re.match(r'\w', text[start - 1]):
            start -= 1
        text = '%son_cpu::queued(%s, {%s})%s' % (text[:start], text[start:opened].strip(), text[opened + 3:end],
                                                 text[end + 3:])
    return text


def translate_shared(text):
    text = re.sub(r'extern __shared__ [^;]*;', '', text)
    return re.sub(r'__shared__ (?:alignas\(\d+\) )?([\w:]+(?: long long)?) (\w+)(\[[^;]*\])?;',
                  r'auto& \2 = on_cpu::shared<std::type_identity_t<\1\3>>([] { static char key; return &key; }());', text)


def translate(text):
    if 'on_cpu' not in text and re.search(r'__global__|__device__', text):
        text = text.replace('#pragma once\n', '', 1)
        text = '#pragma once\n#include "tests/measure/on_cpu/on_cpu.hpp"\n' + re.sub(r'#pragma unroll[^\n]*\n', '\n', text)
    text = text.replace('__CUDA_ARCH__', 'ON_CPU_CUDA_ARCH')  # CUDA's headers take the other name for a GPU's compiler
    # Of a kernel whose parameters are known.
    text = text.replace('cudaLaunchKernel(reinterpret_cast<const void*>(kernel),', 'on_cpu::launch_kernel(kernel,')
    if 'on_cpu::launch_kernel' in text:
        text = text.replace('#pragma once\n', '#pragma once\n#include "tests/measure/on_cpu/on_cpu.hpp"\n', 1)
    return translate_shared(translate_launches(translate_asm(text)))


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    for path in sorted(source.rglob('*')):
        if path.suffix not in ('.cu', '.cuh', '.cpp', '.hpp'):
            continue
        place = target / path.relative_to(source)
        if path.suffix == '.cu':
            place = place.with_name(place.name + '.cpp')
        text = translate(path.read_text())
        if path.suffix in ('.cu', '.cpp'):
            text = text.replace('#pragma once\n', '', 1)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or place.read_text() != text:
            place.write_text(text)


if __name__ == '__main__':
    main()
