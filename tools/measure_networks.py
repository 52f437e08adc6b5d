#!/usr/bin/env python3
"""Times networks with PyTorch on the GPU of this machine: rows for `rooftile validate`.

Networks of torchvision, and BERT and GPT-2 of transformers. Needs PyTorch 2 with CUDA (--kernels: 2.4) and torchvision,
and transformers for its networks. Weights and inputs are random and made on the GPU. A row's time is the median of
iterations that each end in a synchronisation, after warm-up, as timm's benchmark.py measures; cuDNN searches for its
algorithms first (--no-search: takes its first choice). A row is written as soon as it is measured, and the same command
goes on where the last one stopped; networks that fail are reported and left out.

    tools/measure_networks.py -o network.csv --gpu h100-sxm5-80gb
    tools/measure_networks.py -o network.csv --gpu rtx-4090 --networks resnet50,vit_b_16 --runs amp-fp16/step/nhwc --batch 64
    rooftile validate network.csv --by execution,pass,precision
"""

import argparse
import csv
import difflib
import itertools
import statistics
import sys
import time
import typing

COLUMNS = ["op", "model", "gpu", "framework", "precision", "pass", "batch", "image_size", "seq_len", "execution", "layout",
           "optimizer", "time_us", "time_low_us", "time_high_us", "iterations", "queued_us", "host", "date"]
KEY = COLUMNS[1:12]
NETWORKS = ["resnet50", "vit_b_16", "mobilenet_v2", "convnext_base", "vgg16", "regnet_y_16gf", "densenet121",
            "efficientnet_v2_s", "swin_t", "resnext101_32x8d", "mobilenet_v3_large", "wide_resnet50_2", "resnet18",
            "efficientnet_b0", "inception_v3", "regnet_x_3_2gf", "squeezenet1_0"]


class Run(typing.NamedTuple):
    precision: str
    phase: str
    layout: str
    execution: str = "eager"


KINDS = ("precision", "pass", "layout", "execution")
CHOICES = Run(("fp32", "tf32", "fp16", "bf16", "amp-fp16", "amp-bf16"), ("fwd", "step"), ("nchw", "nhwc"),
              ("eager", "compiled"))
RUNS = ["amp-fp16/fwd/nchw", "amp-fp16/step/nhwc", "amp-fp16/fwd/nhwc", "fp32/fwd/nchw", "tf32/step/nchw",
        "bf16/fwd/nhwc"]
SIZES = {"inception_v3": 299}  # pixels a side, where they are not 224
# Class of transformers, its configuration where that is not the default, positions.
LANGUAGE = {"bert_base": ("BertModel", {}, 512),
            "bert_large": ("BertModel", {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
                                         "intermediate_size": 4096}, 512),
            "gpt2": ("GPT2LMHeadModel", {}, 1024)}
TYPES = {"fp16": "float16", "bf16": "bfloat16"}


def chosen(kind, text, choices):
    """The text, which must be one of the choices."""
    if text in choices:
        return text
    nearest = difflib.get_close_matches(text, choices, 1, cutoff=0)[0]
    raise argparse.ArgumentTypeError(f"unknown {kind} {text!r}, did you mean {nearest!r}?")


def run_of(text):
    parts = text.split("/")
    if len(parts) not in (3, 4):
        raise argparse.ArgumentTypeError(f"{text!r} is not precision/pass/layout[/execution]")
    return Run(*map(chosen, KINDS, parts, CHOICES))


def batch_of(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a batch size: a whole number, at least 1")
    return int(text)


def list_of(one):
    return lambda text: [one(part.strip()) for part in text.split(",")]


def dtype_of(precision):
    return getattr(torch, TYPES.get(precision, "float32"))


class Table:
    """A CSV file that rows are added to. One that is there must have the same columns."""

    def __init__(self, path, columns):
        self.file = open(path, "a+", newline="", encoding="utf-8")
        self.file.seek(0)
        reader = csv.DictReader(self.file)
        self.rows = list(reader)
        self.writer = csv.DictWriter(self.file, columns)
        found = reader.fieldnames
        if found is None:
            self.writer.writeheader()
        elif found != columns:
            differences = [f"{name!r} is not one of its columns" for name in found if name not in columns]
            differences += [f"{name!r} is missing" for name in columns if name not in found]
            differences = differences or ["its columns are in another order"]
            sys.exit(f"{path}: not a table of this program: {', '.join(differences)}")

    def add(self, rows):
        self.writer.writerows(rows)
        self.file.flush()


def host_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0].replace(",", " ") if names else "unknown"


def build(name, training):
    if name in LANGUAGE:
        import transformers

        class_name, options, _ = LANGUAGE[name]
        model = getattr(transformers, class_name)
        return model(model.config_class(**options))
    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    if name == "inception_v3" and training:
        options["aux_logits"] = False
    return getattr(torchvision.models, name)(**options)


def network(name, layout, precision, training):
    with torch.device("cuda"):
        module = build(name, training)
    module = module.train(training)
    module = module.to(memory_format=torch.channels_last if layout == "nhwc" else torch.contiguous_format)
    return module.to(dtype_of(precision)) if precision in TYPES else module


def inputs_of(row):
    if row["model"] in LANGUAGE:
        return torch.randint(0, 30000, (row["batch"], row["seq_len"]), device="cuda")
    images = torch.randn(row["batch"], 3, row["image_size"], row["image_size"], device="cuda",
                         dtype=dtype_of(row["precision"]))
    return images.to(memory_format=torch.channels_last) if row["layout"] == "nhwc" else images


def iteration(module, inputs, row, training):
    """One forward pass or training step (cross entropy, SGD with momentum), as a function of no arguments."""
    amp = row["precision"].removeprefix("amp-") if row["precision"].startswith("amp-") else None

    def autocast():
        return torch.autocast("cuda", dtype=dtype_of(amp or "fp16"), enabled=amp is not None)

    if not training:
        def infer():
            with torch.inference_mode(), autocast():
                module(inputs)
        return infer
    language = row["model"] in LANGUAGE
    labels = torch.randint(0, 1000, (len(inputs),), device="cuda")
    optimizer = torch.optim.SGD(module.parameters(), lr=1e-3, momentum=0.9)
    loss = torch.nn.CrossEntropyLoss()

    def step():
        with autocast():
            error = module(inputs, labels=inputs).loss if language else loss(module(inputs), labels)
        error.backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def timed(run, least, seconds):
    """Seconds of each iteration that ends in a synchronisation, sorted, and of one in a queue of as many."""
    for _ in range(5):
        run()
    torch.cuda.synchronize()
    began = time.perf_counter()
    run()
    torch.cuda.synchronize()
    count = max(least, min(100, int(seconds / (time.perf_counter() - began))))
    times = []
    for _ in range(count):
        began = time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    first.record()
    for _ in range(count):
        run()
    last.record()
    torch.cuda.synchronize()
    return sorted(times), first.elapsed_time(last) / 1e3 / count


def kernels(run):
    """The kernels and copies of one iteration, the longest first."""
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        run()
        torch.cuda.synchronize()
    found = [{"kernel": one.key, "count": one.count, "time_us": one.self_device_time_total}
             for one in profile.key_averages()]
    return sorted((one for one in found if one["time_us"] > 0), key=lambda one: -one["time_us"])


def measure(row, arguments):
    """What was measured of the row, and its kernels where they are asked for."""
    torch.cuda.empty_cache()
    training = row["pass"] == "step"
    torch.backends.cudnn.allow_tf32 = row["precision"] != "fp32"  # products stay FP32, as PyTorch has it by default
    torch.backends.cudnn.benchmark = not arguments.no_search
    module = network(row["model"], row["layout"], row["precision"], training)
    if row["execution"] == "compiled":
        torch._dynamo.reset()  # pylint: disable=protected-access
        module = torch.compile(module)
    run = iteration(module, inputs_of(row), row, training)
    times, queued = timed(run, 10, arguments.seconds)
    quantiles = statistics.quantiles(times, n=10)
    measured = {"time_us": f"{statistics.median(times) * 1e6:.1f}", "time_low_us": f"{quantiles[0] * 1e6:.1f}",
                "time_high_us": f"{quantiles[-1] * 1e6:.1f}", "iterations": len(times),
                "queued_us": f"{queued * 1e6:.1f}"}
    return measured, kernels(run) if arguments.kernels else []


def wanted(arguments):
    common = {"op": "network", "gpu": arguments.gpu, "host": host_name(), "date": time.strftime("%Y-%m-%d"),
              "framework": f"PyTorch {torch.__version__.split('+')[0]} CUDA {torch.version.cuda}"}
    for batch, (run, name) in itertools.product(arguments.batch, itertools.product(arguments.runs, arguments.networks)):
        yield {**common, **dict(zip(KINDS, run)), "model": name, "batch": batch,
               "image_size": "" if name in LANGUAGE else SIZES.get(name, 224),
               "seq_len": LANGUAGE[name][2] if name in LANGUAGE else "",
               "optimizer": "momentum" if run.phase == "step" else ""}


def load_torch(parser, arguments):
    """Imports PyTorch, which --help does without, and checks what can be checked only now."""
    global torch, torchvision
    try:
        import torch
        import torchvision
    except (ImportError, OSError) as error:
        parser.error(f"PyTorch and torchvision are needed: {error}")
    if not torch.cuda.is_available():
        parser.error("PyTorch finds no GPU: torch.cuda.is_available() is false")
    if arguments.kernels and [int(part) for part in torch.__version__.split(".")[:2]] < [2, 4]:
        parser.error(f"--kernels needs PyTorch 2.4 or newer, and this is {torch.__version__}")
    known = [*LANGUAGE, *torchvision.models.list_models(module=torchvision.models)]
    try:
        for name in arguments.networks:
            chosen("network", name, known)
    except argparse.ArgumentTypeError as error:
        parser.error(f"argument --networks: {error}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", required=True, help="table to write, or to add to")
    parser.add_argument("--gpu", required=True, help="the catalogue's id of this GPU (rooftile gpus list)")
    parser.add_argument("--networks", type=list_of(str), default=NETWORKS,
                        help=f"a list of torchvision.models' and {', '.join(LANGUAGE)}")
    parser.add_argument("--runs", type=list_of(run_of), default=[run_of(text) for text in RUNS],
                        help="a list of precision/pass/layout[/execution]: amp-fp16/step/nhwc, bf16/fwd/nchw/compiled")
    parser.add_argument("--batch", type=list_of(batch_of), default=[128], help="a list of batch sizes")
    parser.add_argument("--seconds", type=float, default=0.4, help="of iterations for each row, at least ten of them")
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds after which no row is begun")
    parser.add_argument("--kernels", help="table to add the kernels of one iteration of each row to")
    parser.add_argument("--no-search", action="store_true", help="cuDNN's first choice of algorithm")
    arguments = parser.parse_args()
    load_torch(parser, arguments)
    try:
        table = Table(arguments.output, COLUMNS)
        kernel_table = Table(arguments.kernels, KEY + ["kernel", "count", "time_us"]) if arguments.kernels else None
    except OSError as error:
        parser.error(str(error))
    began = time.monotonic()
    done = {tuple(row[column] for column in KEY) for row in table.rows}
    for row in wanted(arguments):
        key = {column: str(row[column]) for column in KEY}
        if tuple(key.values()) in done:
            continue
        if time.monotonic() - began > arguments.budget:
            print("the time is up; run the same command again to continue", file=sys.stderr)
            break
        try:
            measured, found = measure(row, arguments)
        except Exception as error:  # pylint: disable=broad-exception-caught
            text = (str(error).splitlines() or [""])[0]
            print(f"{'/'.join(key.values())}: {type(error).__name__}: {text}", file=sys.stderr)
            continue
        table.add([row | measured])
        if kernel_table:
            kernel_table.add(key | one for one in found)
        print(f"{row['model']} {row['precision']} {row['pass']} {row['layout']} {row['execution']} {row['batch']}: "
              f"{float(measured['time_us']) / 1e3:.2f} ms", flush=True)


if __name__ == "__main__":
    main()
