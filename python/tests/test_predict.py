"""The API without PyTorch."""

import json
import os
import re
import subprocess
import sys
import threading
import time

import pytest

import rooftile


def test_importing_is_light():
    code = "import sys, rooftile; sys.exit(any(name in sys.modules for name in ('torch', 'numpy', 'pandas')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitized library loads slowly")
def test_importing_takes_less_than_50_ms():
    # Of the processor: others may be at work.
    code = "import time; begin = time.process_time(); import rooftile; print(time.process_time() - begin)"
    words = [sys.executable, "-c", code]
    times = [float(subprocess.run(words, check=True, capture_output=True).stdout) for _ in range(10)]
    assert min(times) < 0.05


def test_predicts_what_the_program_predicts():
    prediction = rooftile.predict("resnet50", gpu="rtx-4090", batch_size=64, precision="fp16")
    printed = json.loads(rooftile.report.run(["predict", "resnet50", "--gpu", "rtx-4090", "--batch-size", "64",
                                              "--precision", "fp16", "--format", "json"]))
    assert prediction.to_dict() == printed
    assert prediction.time == printed["time_s"]
    assert (prediction.low, prediction.high) == (printed["time_low_s"], printed["time_high_s"])
    assert prediction.throughput == pytest.approx(64 / prediction.time)
    assert prediction.memory["total"] == printed["memory_bytes"]["total"]
    assert prediction.fits
    assert [layer.name for layer in prediction.layers] == [layer["name"] for layer in printed["layers"]]


def test_a_training_step_has_phases():
    prediction = rooftile.predict("resnet18", gpu="t4", batch_size=8, training=True, restore_batch_norm=True,
                                  optimizer="momentum")
    assert sum(prediction.phases.values()) == pytest.approx(prediction.time)
    assert prediction.phases["backward"] > prediction.phases["forward"]


def test_several_gpus_give_a_list():
    times = [one.time for one in rooftile.predict("alexnet", ["t4", "a100-sxm4-80gb"], batch_size=128)]
    assert times[0] > times[1]


def test_a_workload_is_a_dict_or_json():
    workload = {"schema": "rooftile/workload/1", "name": "one",
                "inputs": [{"name": "x", "shape": [32, 256]}], "ops": [{"name": "fc", "op": "gemm", "n": 1000}]}
    assert rooftile.predict(workload, "t4").time == rooftile.predict(json.dumps(workload), "t4").time


def test_a_prediction_does_not_change():
    prediction = rooftile.predict("alexnet", "t4")
    with pytest.raises(AttributeError):
        prediction.time = 0
    prediction.layers.clear()
    assert prediction.layers


@pytest.mark.parametrize("call, line", [
    (lambda: rooftile.predict("resnet51", "t4"), "did you mean 'resnet50'?"),
    (lambda: rooftile.predict("resnet50", "v100"), "'v100' is ambiguous: "),
    (lambda: rooftile.predict("resnet50", "t4", precision="fp17"), "--precision: unknown precision 'fp17'"),
    (lambda: rooftile.predict("resnet50", "t4", colour="red"), "no option 'colour'; there are accumulate,"),
    (lambda: rooftile.predict("resnet50", "t4", batchsize=3), "did you mean 'batch_size'?"),
    (lambda: rooftile.max_batch("resnet50", "t4", batch_size=3), "leave out batch_size="),
    (lambda: rooftile.max_batch("resnet50", ["t4"]), "max_batch takes one GPU"),
    (lambda: rooftile.max_batch({"name": "one"}, "t4"), "the name or the file of a network"),
    (lambda: rooftile.compare("resnet51"), "did you mean 'resnet50'?"),
    (lambda: rooftile.explain("alexnet", "fc6", rooftile.Gpu.find("t4").replace(sm_count=20)), "a changed Gpu is for"),
    (lambda: rooftile.explore("nowhere.toml"), "nowhere.toml: No such file or directory"),
    (lambda: rooftile.predict({"schema": "none"}, "t4"), "'none' is not 'rooftile/workload/1'"),
    (lambda: rooftile.predict("resnet50", "t4", batch_size=0), "--batch-size"),
    (lambda: rooftile.predict("resnet50", "t4", inputs=3), "inputs are of a torch.nn.Module"),
    (lambda: rooftile.predict(3, "t4"), "not int"),
    (lambda: rooftile.predict("resnet50", 4), "takes an id, a .toml file or a Gpu"),
    (lambda: rooftile.Gpu.find("t4").replace(dram_bandwith="1 TB/s"), "did you mean 'dram_bandwidth'?"),
    (lambda: rooftile.Gpu.find("t4").replace(dram_bandwidth="1 TB"), "dram_bandwidth"),
    (lambda: rooftile.Gpu.load("t4"), "a GPU's file ends in .toml"),
    (lambda: rooftile.explain("resnet50", "conv99", "t4").summary(), "no layer is called 'conv99'"),
    (lambda: rooftile.predict("alexnet", "t4").save("alexnet.txt"), "is saved as .html, .json, .csv or .svg"),
    (lambda: rooftile.predict("alexnet", "t4").save("/nowhere/alexnet.json"), "No such file or directory"),
])
def test_an_error_is_one_line(call, line):
    with pytest.raises(rooftile.Error) as raised:
        call()
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)
    assert repr(type(raised.value)) == "<class 'rooftile.Error'>"


def test_a_gpu_with_other_numbers():
    gpu = rooftile.Gpu.find("v100-sxm2-16gb")
    faster = gpu.replace(dram_bandwidth="3 TB/s", l2_bandwidth="9 TB/s")
    assert faster != gpu and gpu == rooftile.Gpu.find("v100-sxm2-16gb")
    assert gpu.memory == 16 * 2**30
    before, after = (rooftile.predict("resnet50", one, batch_size=64, precision="fp16").time for one in (gpu, faster))
    assert after < before


def test_a_gpu_of_a_file_and_a_changed_one_go_wherever_a_name_goes(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text('id = "own"\nname = "Own"\nbase = "t4"\n[core]\nsm_count = { value = 80 }\n')
    own = rooftile.Gpu.load(file)
    assert rooftile.predict("alexnet", own).time == rooftile.predict("alexnet", file).time
    rooftile.predict("alexnet", own.replace(dram_bandwidth="1 TB/s")).save(tmp_path / "own.svg")
    assert (tmp_path / "own.svg").read_text().startswith("<svg")
    t4 = rooftile.Gpu.find("t4")
    assert rooftile.explain("alexnet", "fc6", t4).summary() == rooftile.explain("alexnet", "fc6", "t4").summary()


def test_a_saved_roofline_is_the_commands(tmp_path):
    rooftile.predict("alexnet", "t4", batch_size=8).save(tmp_path / "a.SVG")
    rooftile.roofline("alexnet", "t4", batch_size=8).save(tmp_path / "b.svg")
    assert (tmp_path / "a.SVG").read_text() == (tmp_path / "b.svg").read_text()


def test_explores_designs(tmp_path):
    space = tmp_path / "space.toml"
    space.write_text('gpu = "t4"\n[axes]\nsm_count = { values = [20, 40] }\ndram_bandwidth = { multiples = [1, 2] }\n'
                     '[[workload]]\nmodel = "alexnet"\n')
    found = rooftile.explore(space, heat_map=["sm_count", "dram_bandwidth"], best=3)
    assert [one["rank"] for one in found.designs] == [1, 2, 3]
    base = rooftile.predict("alexnet", "t4", host=False).time
    kept = [one for one in found.designs if one["sm_count"] == 40 and one["dram_bandwidth"] < 250e9]
    assert kept[0]["time_s"] == pytest.approx(base)
    assert "based on t4" in found.summary()
    found.save(tmp_path / "designs")
    assert {"report.txt", "best.csv", "heat_map.svg"} <= {file.name for file in (tmp_path / "designs").iterdir()}
    with pytest.raises(rooftile.Error, match="Not a directory|exists"):
        found.save(space)


def test_saves_and_shows(tmp_path):
    prediction = rooftile.predict("alexnet", "t4", batch_size=16)
    for suffix, begin in (("html", "<!"), ("json", "{"), ("csv", "model,"), ("svg", "<svg")):
        file = tmp_path / f"alexnet.{suffix}"
        prediction.save(file)
        assert file.read_text().lstrip().startswith(begin), file.read_text()[:80]
    assert "srcdoc" in prediction._repr_html_()
    assert prediction.summary() == str(prediction)
    assert "limited by" in prediction.summary()


def test_tables_for_pandas():
    pandas = pytest.importorskip("pandas")
    frame = rooftile.predict("alexnet", "t4").layers.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert {"name", "time", "traffic.dram"} <= set(frame.columns)


def test_compares_gpus():
    found = rooftile.compare("resnet50", ["t4", "a100-sxm4-80gb"], precision="fp16", batch_size=64)
    assert [one.gpu for one in found] == ["a100-sxm4-80gb", "t4"]
    assert found.summary().splitlines()[1].startswith("a100-sxm4-80gb")


def test_a_comparison_prints_rates_in_full():
    line = rooftile.compare("resnet18", ["h100-sxm5-80gb"], precision="fp16", batch_size=256).summary().splitlines()[1]
    assert "e+" not in line and re.search(r" \d\d,\d\d0 ", line)


def test_the_largest_batch_is_the_last_that_fits():
    batch = rooftile.max_batch("resnet50", "t4", training=True)
    assert rooftile.predict("resnet50", "t4", training=True, batch_size=batch).fits
    assert not rooftile.predict("resnet50", "t4", training=True, batch_size=batch + 1).fits


def test_other_commands_as_reports(tmp_path):
    table = tmp_path / "gemm.csv"
    table.write_text("op,M,N,K,gpu,precision,time_us\ngemm,1024,1024,1024,t4,fp32,600\n")
    assert rooftile.validate(table).to_dict()["schema"] == "rooftile/validation/1"
    assert "product" in rooftile.explain("alexnet", "fc6", "t4").summary()
    rooftile.roofline("alexnet", "t4").save(tmp_path / "roofline.svg")
    assert (tmp_path / "roofline.svg").read_text().startswith("<svg")


def test_threads_predict_at_once():
    found = []

    def work(gpu):
        found.append(rooftile.predict("densenet161", gpu, batch_size=32).time)

    threads = [threading.Thread(target=work, args=(gpu,)) for gpu in ("t4", "v100-sxm2-16gb", "a100-sxm4-80gb") * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 12 and len(set(found)) == 3


def longest_pause(call):
    """Of this thread while another calls: as a share of the time of the call."""
    times = []

    def work():
        times.append(time.perf_counter())
        call()
        times.append(time.perf_counter())

    thread = threading.Thread(target=work)
    last, pause, alive = time.perf_counter(), 0, True
    thread.start()
    while alive:
        alive = thread.is_alive()
        now = time.perf_counter()
        last, pause = now, max(pause, now - last)
    return pause / (times[1] - times[0])


def test_other_threads_run_while_one_predicts():
    def predict():
        rooftile.predict("llama3.1_405b", "h100-sxm5-80gb", precision="fp16", training=True)

    assert min(longest_pause(predict) for _ in range(5)) < 0.5
    assert min(longest_pause(lambda: sum(range(5_000_000))) for _ in range(5)) > 0.5  # holds the lock


def test_modules_are_told_what_they_need():
    torch = pytest.importorskip("torch")
    module, inputs = torch.nn.Linear(8, 8), torch.empty(4, 8)
    for call, line in ((lambda: rooftile.predict(module, "t4"), "needs inputs="),
                       (lambda: rooftile.max_batch(module, "t4"), "needs inputs="),
                       (lambda: rooftile.max_batch(module, "t4", inputs, batchsize=1), "did you mean 'batch_size'?"),
                       (lambda: rooftile.explain(module, "fc", "t4"), "is captured first")):
        with pytest.raises(rooftile.Error, match=re.escape(line)):
            call()
    assert rooftile.max_batch(module, "t4", inputs, precision="tf32") == rooftile.max_batch(module, "t4", inputs)
