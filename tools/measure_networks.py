#!/usr/bin/env python3
"""Times networks with PyTorch on the GPU of this machine: rows for `rooftile validate`.

Networks of torchvision, and BERT and GPT-2 of transformers. Needs PyTorch 2 with CUDA, and these two packages. Weights and inputs are random and made on the GPU. A row's time is the median
of iterations that each end in a synchronisation, after warm-up, as timm's benchmark.py measures; cuDNN searches for its
algorithms first (--no-search: takes its first choice). A row is written as soon as it is measured, and the same command
goes on where the last one stopped; what fails is told and left out.

    tools/measure_networks.py -o network.csv --gpu h100-sxm5-80gb
    tools/measure_networks.py -o network.csv --gpu rtx-4090 --networks resnet50,vit_b_16 --runs amp-fp16/step/nhwc --batch 64
    rooftile validate network.csv --by execution,pass,precision
"""

import argparse
import csv
import itertools
import os
import statistics
import sys
import time

import torch
import torchvision

COLUMNS = ["op", "model", "gpu", "framework", "precision", "pass", "batch", "image_size", "seq_len", "execution", "layout",
           "optimizer", "time_us", "time_low_us", "time_high_us", "iterations", "queued_us", "host", "date"]
KEY = COLUMNS[1:12]
NETWORKS = ["resnet50", "vit_b_16", "mobilenet_v2", "convnext_base", "vgg16", "regnet_y_16gf", "densenet121",
            "efficientnet_v2_s", "swin_t", "resnext101_32x8d", "mobilenet_v3_large", "wide_resnet50_2", "resnet18",
            "efficientnet_b0", "inception_v3", "regnet_x_3_2gf", "squeezenet1_0"]
RUNS = ["amp-fp16/fwd/nchw", "amp-fp16/step/nhwc", "amp-fp16/fwd/nhwc", "fp32/fwd/nchw", "tf32/step/nchw",
        "bf16/fwd/nhwc"]
SIZES = {"inception_v3": 299}  # pixels a side, where they are not 224
# Class of transformers, its configuration where that is not the default, positions.
LANGUAGE = {"bert_base": ("BertModel", {}, 512),
            "bert_large": ("BertModel", {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
                                         "intermediate_size": 4096}, 512),
            "gpt2": ("GPT2LMHeadModel", {}, 1024)}
TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


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
    return module.to(TYPES[precision]) if precision in TYPES else module


def inputs_of(row):
    if row["model"] in LANGUAGE:
        return torch.randint(0, 30000, (row["batch"], row["seq_len"]), device="cuda")
    images = torch.randn(row["batch"], 3, row["image_size"], row["image_size"], device="cuda",
                         dtype=TYPES.get(row["precision"], torch.float32))
    return images.to(memory_format=torch.channels_last) if row["layout"] == "nhwc" else images


def iteration(module, inputs, row, training):
    """One forward pass or training step (cross entropy, SGD with momentum), as a function of no arguments."""
    amp = row["precision"].removeprefix("amp-") if row["precision"].startswith("amp-") else None

    def autocast():
        return torch.autocast("cuda", dtype=TYPES[amp or "fp16"], enabled=amp is not None)

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
    """The kernels and copies of one iteration: (name, count, microseconds), the longest first."""
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        run()
        torch.cuda.synchronize()
    found = [(one.key, one.count, one.self_device_time_total) for one in profile.key_averages()]
    return sorted((one for one in found if one[2] > 0), key=lambda one: -one[2])


def measure(row, arguments):
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
    if arguments.kernels:
        with open(arguments.kernels, "a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([*(row[column] for column in KEY), *one] for one in kernels(run))
    quantiles = statistics.quantiles(times, n=10)
    return {"time_us": f"{statistics.median(times) * 1e6:.1f}", "time_low_us": f"{quantiles[0] * 1e6:.1f}",
            "time_high_us": f"{quantiles[-1] * 1e6:.1f}", "iterations": len(times), "queued_us": f"{queued * 1e6:.1f}"}


def wanted(arguments):
    common = {"op": "network", "gpu": arguments.gpu, "host": host_name(), "date": time.strftime("%Y-%m-%d"),
              "framework": f"PyTorch {torch.__version__.split('+')[0]} CUDA {torch.version.cuda}"}
    for batch, (run, name) in itertools.product(arguments.batch, itertools.product(arguments.runs, arguments.networks)):
        precision, phase, layout, *execution = run.split("/")
        yield {**common, "model": name, "precision": precision, "pass": phase, "layout": layout, "batch": batch,
               "execution": execution[0] if execution else "eager", "image_size": "" if name in LANGUAGE else SIZES.get(name, 224),
               "seq_len": LANGUAGE[name][2] if name in LANGUAGE else "",
               "optimizer": "momentum" if phase == "step" else ""}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", required=True, help="table to write, or to add to")
    parser.add_argument("--gpu", required=True, help="the catalogue's id of this GPU (rooftile gpus list)")
    names = {"type": lambda text: text.split(",")}
    parser.add_argument("--networks", **names, default=NETWORKS, help="of torchvision.models, a list")
    parser.add_argument("--runs", **names, default=RUNS,
                        help="a list of precision/pass/layout[/execution]: amp-fp16/step/nhwc, bf16/fwd/nchw/compiled")
    parser.add_argument("--batch", type=lambda text: [int(one) for one in text.split(",")], default=[128])
    parser.add_argument("--seconds", type=float, default=0.4, help="of iterations for each row, at least ten of them")
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds after which no row is begun")
    parser.add_argument("--kernels", help="table to add the kernels of one iteration of each row to")
    parser.add_argument("--no-search", action="store_true", help="cuDNN's first choice of algorithm")
    arguments = parser.parse_args()
    began = time.monotonic()
    done = set()
    if os.path.exists(arguments.output):
        with open(arguments.output, newline="", encoding="utf-8") as file:
            done = {tuple(row[column] for column in KEY) for row in csv.DictReader(file)}
    with open(arguments.output, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if file.tell() == 0:
            writer.writeheader()
        for row in wanted(arguments):
            if tuple(str(row[column]) for column in KEY) in done:
                continue
            if time.monotonic() - began > arguments.budget:
                print("the time is up; run the same command again to continue", file=sys.stderr)
                break
            try:
                row.update(measure(row, arguments))
            except (RuntimeError, AttributeError, TypeError, ValueError) as error:
                text = (str(error).splitlines() or [type(error).__name__])[0]
                print(f"{'/'.join(str(row[column]) for column in KEY)}: {text}", file=sys.stderr)
                continue
            writer.writerow(row)
            file.flush()
            print(f"{row['model']} {row['precision']} {row['pass']} {row['layout']} {row['execution']} {row['batch']}: "
                  f"{float(row['time_us']) / 1e3:.2f} ms", flush=True)


if __name__ == "__main__":
    main()
