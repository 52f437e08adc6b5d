"""The API without PyTorch."""

import copy
import json
import multiprocessing
import os
import pickle
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


def test_batch_norms_may_be_folded():
    apart, folded = (rooftile.predict("resnet18", gpu="t4", fold_batch_norm=fold) for fold in (False, True))
    assert folded.time < apart.time
    assert folded.memory["weights"] < apart.memory["weights"]
    with pytest.raises(rooftile.Error, match="for inference"):
        rooftile.predict("resnet18", gpu="t4", fold_batch_norm=True, training=True)


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
    prediction.layers[0].traffic["dram"] = -1
    assert prediction.layers[0].traffic["dram"] > 0
    assert copy.copy(prediction) is prediction and copy.deepcopy(prediction) is prediction


def test_a_prediction_tells_how_it_was_made():
    assert rooftile.predict("alexnet", "t4").execution == "eager"
    assert rooftile.predict("alexnet", "t4", execution="compiled").execution == "compiled"
    assert rooftile.predict("alexnet", "t4", batch_size=256).notes == []
    assert rooftile.predict("alexnet", "t4").notes == ["a server as host; --host states another"]


def test_equal_predictions_are_equal():
    first, second = rooftile.predict("alexnet", "t4"), rooftile.predict("alexnet", rooftile.Gpu.find("t4"))
    assert first == second and hash(first) == hash(second) and len({first, second}) == 1
    assert first != rooftile.predict("alexnet", "t4", batch_size=2) and first != "alexnet"


def test_predictions_and_gpus_are_pickled(tmp_path, monkeypatch):
    file = tmp_path / "own.toml"
    file.write_text('id = "own"\nname = "Own"\nbase = "t4"\n[core]\nsm_count = { value = 80 }\n')
    monkeypatch.chdir(tmp_path)
    gpus = [rooftile.Gpu.find("t4"), rooftile.Gpu.load("own.toml"), rooftile.Gpu.find("own.toml").replace(sm_count=20),
            rooftile.Gpu.find("t4").replace(sm_count=80).replace(dram_bandwidth="1 TB/s")]
    pickled = pickle.dumps([gpus, [rooftile.predict("alexnet", gpu, batch_size=3) for gpu in ["t4", file, *gpus]]])
    monkeypatch.chdir("/")  # where a process of its own may be
    found, predictions = pickle.loads(pickled)
    assert found[0] == gpus[0] and found[3] == gpus[3]
    assert [one.id for one in found] == ["t4", "own", "own-changed", "t4-changed"]
    assert predictions[2:] == [rooftile.predict("alexnet", gpu, batch_size=3) for gpu in gpus]
    assert copy.deepcopy(gpus[2]) == gpus[2] and len(set(gpus)) == 4
    file.write_text(file.read_text().replace("80", "40"))
    with pytest.raises(rooftile.Error, match="is not what was pickled"):
        pickle.loads(pickled)


def test_a_pickled_name_is_no_folder(tmp_path, monkeypatch):
    for name in ("alexnet", "t4"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps([rooftile.Gpu.find("t4"), rooftile.predict("alexnet", "t4")])
    monkeypatch.chdir("/")
    assert pickle.loads(pickled) == [rooftile.Gpu.find("t4"), rooftile.predict("alexnet", "t4")]


def test_other_processes_return_predictions():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(rooftile.predict, ["alexnet"]) == [rooftile.predict("alexnet")]


@pytest.mark.parametrize("call, line", [
    (lambda: rooftile.predict("resnet51", "t4"), "did you mean 'resnet50'?"),
    (lambda: rooftile.predict("resnet50", "v100"), "'v100' is ambiguous: "),
    (lambda: rooftile.predict("resnet50", "t4", precision="fp17"), "--precision: unknown precision 'fp17'"),
    (lambda: rooftile.predict("resnet50", "t4", colour="red"), "no option 'colour'; there are accumulate,"),
    (lambda: rooftile.predict("resnet50", "t4", batchsize=3), "did you mean 'batch_size'?"),
    (lambda: rooftile.max_batch("resnet50", "t4", batch_size=3), "leave out batch_size="),
    (lambda: rooftile.max_batch("resnet50", ["t4"]), "max_batch takes one GPU"),
    (lambda: rooftile.max_batch({"name": "one"}, "t4"), "'schema' is missing"),
    (lambda: rooftile.predict({"schema": {1, 2}}, "t4"), "the workload is no JSON"),
    (lambda: rooftile.predict("alexnet", "t4", optimizer="adam"), "an optimizer is of a training step: training=True"),
    (lambda: rooftile.predict("alexnet", "t4", phase="fwd", clip_gradients=True),
     "clipping is of a training step: training=True"),
    (lambda: rooftile.predict("alexnet", "t4", accumulate=4), "accumulation is of a training step: training=True"),
    (lambda: rooftile.predict("alexnet", "t4", loss=False), "a loss is of a training step: training=True"),
    (lambda: rooftile.predict("alexnet", "t4", training=True, loss="mse"), "loss= is True or False, not 'mse'"),
    (lambda: rooftile.predict("alexnet", "t4", host="epyc"), "host= is True or False"),
    (lambda: rooftile.predict("alexnet", "t4", shapes="input=1x3x64x64"), "shapes= is a dict of names and sizes"),
    (lambda: rooftile.compare("alexnet", ["t4"]).save("gpus.svg"), "a comparison is saved as .csv, .json or .html"),
    (lambda: rooftile.roofline("resnet51", "t4"), "did you mean 'resnet50'?"),
    (lambda: rooftile.validate("nowhere.csv"), "nowhere.csv"),
    (lambda: rooftile.validate({}), "not dict"),
    (lambda: rooftile.explore({}), "a space is the path of a .toml file, not dict"),
    (lambda: rooftile.Gpu.find(3), "not by a int"),
    (lambda: rooftile.capture(None, trainng=True), "did you mean 'training'?"),
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
    (lambda: rooftile.explain("resnet50", "conv99", "t4"), "no layer is called 'conv99'"),
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
    with pytest.raises((AttributeError, TypeError)):
        found.sort()


def test_a_comparison_is_saved_and_shown(tmp_path):
    found = rooftile.compare("alexnet", ["t4", "l4"])
    for suffix in ("csv", "json", "html"):
        found.save(tmp_path / f"gpus.{suffix}")
    rows = (tmp_path / "gpus.csv").read_text().splitlines()
    assert rows[0] == "gpu,time,low,high,throughput,memory,fits" and len(rows) == 3
    assert json.loads((tmp_path / "gpus.json").read_text()) == [one.to_dict() for one in found]
    assert "<td>t4</td>" in (tmp_path / "gpus.html").read_text() and "<table>" in found._repr_html_()
    assert found.to_pandas().columns.tolist() == rows[0].split(",")


def test_the_largest_batch_of_a_workload():
    workload = {"schema": "rooftile/workload/1", "name": "one",
                "inputs": [{"name": "x", "shape": [32, 8192]}], "ops": [{"name": "fc", "op": "gemm", "n": 8192}]}
    batch = rooftile.max_batch(workload, "t4")
    assert rooftile.predict(workload, "t4", batch_size=batch).fits
    assert not rooftile.predict(workload, "t4", batch_size=batch + 1).fits


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


def test_reports_say_what_they_are(tmp_path):
    assert repr(rooftile.roofline("alexnet", "t4")).startswith("<Report of roofline: alexnet on Tesla T4")
    pandas = pytest.importorskip("pandas")
    row = {"op": "gemm", "M": 1024, "N": 1024, "K": 1024, "gpu": "t4", "precision": "fp32", "time_us": 600}
    table = pandas.DataFrame([row])
    table.to_csv(tmp_path / "gemm.csv", index=False)
    assert rooftile.validate(table).summary() == rooftile.validate(tmp_path / "gemm.csv").summary()
    assert rooftile.validate(table)._repr_html_().startswith("<pre>time: predicted")


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
                       (lambda: rooftile.explain(module, "fc", "t4"), "is captured first"),
                       (lambda: rooftile.predict(module, "t4", (4, 8)), "a shape is written torch.empty(4, 8)"),
                       (lambda: rooftile.predict(module, "t4", inputs, optimizer="adam"), "training=True"),
                       (lambda: rooftile.predict(module, "t4", inputs, loss=torch.nn.MSELoss()), "a loss is of a training step"),
                       (lambda: rooftile.predict(module, "t4", inputs, training=True, loss="mse"), "loss= is a function"),
                       (lambda: rooftile.max_batch(rooftile.capture(module, inputs), "t4"), "captured at 4 samples")):
        with pytest.raises(rooftile.Error, match=re.escape(line)):
            call()
    assert rooftile.predict(module, "t4", inputs.numpy()) == rooftile.predict(module, "t4", inputs)
    assert rooftile.max_batch(module, "t4", inputs) > 1 << 20
    assert rooftile.max_batch(module, "t4", inputs, precision="tf32") == rooftile.max_batch(module, "t4", inputs)
