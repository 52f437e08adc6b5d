#!/usr/bin/env python3
"""The HTML pages in a headless Chromium: pages_test.py --writer PROGRAM --cli PROGRAM [unittest's arguments]."""
import argparse
import csv
import io
import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import browser
except ImportError as error:
    print(f"skipped: {error}; install python3-selenium")
    sys.exit(77)

Browser = browser.Browser
HOSTILE = "</script><script>window.broken = 3</script>"
CHARTS = ["complexity", "time", "combined", "classic", "hierarchical"]


def write_pages(folder, writer, cli):
    """All pages, once for all tests."""
    subprocess.run([writer, folder], check=True)
    arguments = [cli, "predict", "alexnet", "--gpu", "v100-sxm2-16gb,titan-xp", "--batch-size", "32"]
    subprocess.run([*arguments, "-o", folder / "alexnet.html"], check=True)
    subprocess.run([cli, "predict", "bert-base", "--gpu", "v100-sxm2-16gb", "-o", folder / "bert.html"], check=True)
    report = subprocess.run([*arguments, "--format", "json"], check=True, capture_output=True)
    (folder / "alexnet.json").write_bytes(report.stdout)


def luminance(colour):
    """Relative luminance of "rgb(r, g, b)" (WCAG 2.2)."""
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Contrast ratio of two colours (WCAG 2.2)."""
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


class PageTest(unittest.TestCase):
    """Every test opens its page afresh; afterwards the console has no complaint and nothing was asked for."""

    folder: Path
    browser: Browser

    def setUp(self):
        self.browser.media()
        self.browser.complaints(), self.browser.requests()  # of what came before
        self.quiet = True

    def tearDown(self):
        if self.quiet:
            self.assertEqual(self.browser.complaints(), [])
            self.assertEqual(self.browser.requests(), [])

    def open(self, name):
        return self.browser.open(self.folder / name)

    def data(self):
        return json.loads(self.browser.text("#data"))["views"][0]

    def choose_chart(self, key):
        self.browser.js("document.querySelector(`#chart-choice input[value=${arguments[0]}]`).click()", key)
        self.browser.settle()

    def drawn(self):
        return int(self.browser.js("return document.getElementById('chart').dataset.drawn"))

    def canvas(self):
        return self.browser.js("return document.getElementById('chart').toDataURL()")

    def point_at(self, mark):
        """Moves the mouse to a mark of the chart; returns the name of its kernel."""
        place = self.browser.js("""
            const {chart, table} = window.rooftilePage, mark = arguments[0];
            chart.canvas.scrollIntoView({block: 'center'});
            const box = chart.canvas.getBoundingClientRect();
            return {x: box.left + chart.xs[mark], y: box.top + chart.ys[mark], name: table.name(chart.marks.kernel[mark])};""", mark)
        self.browser.point(place["x"], place["y"])
        return place["name"]

    def rows(self):
        """First cells of the rows of the table that are in the document."""
        return self.browser.js("return Array.from(document.querySelectorAll('#table tbody tr:not(.space) td:first-child'), (c) => c.textContent)")


class Charts(PageTest):
    def test_every_chart_draws_its_kernels(self):
        self.open("alexnet.html")
        count = len(self.data()["kernels"]["time_s"])
        nowhere = sum(number == 0 for level in self.data()["kernels"]["bytes"] for number in level)  # 0 bytes: no place
        pictures = set()
        for key in CHARTS:
            self.choose_chart(key)
            missing = self.browser.js("return window.rooftilePage.chart.marks.missing")
            levels = 3 if key == "hierarchical" else 1
            unseen = nowhere if key == "hierarchical" else 0
            self.assertEqual(self.drawn(), (count - missing) * levels - unseen, key)
            self.assertGreater(self.drawn(), 0, key)
            pictures.add(self.canvas())
        self.assertEqual(len(pictures), len(CHARTS))

    def test_hover_shows_the_kernel_and_its_numbers(self):
        self.open("alexnet.html")
        report = json.loads((self.folder / "alexnet.json").read_text())[0]
        for key in CHARTS:
            self.choose_chart(key)
            self.assertFalse(self.browser.shown("#tip"))
            name = self.point_at(0)
            self.assertTrue(self.browser.shown("#tip"), key)
            tip = self.browser.text("#tip")
            layer = next(layer for layer in report["layers"] if layer["name"] == name)
            self.assertIn(name, tip)
            self.assertIn(f"{1e3 * layer['time_s']:.4g} ms" if layer["time_s"] >= 1e-3 else f"{1e6 * layer['time_s']:.4g} us", tip)
            self.assertIn(f"limited by{layer['bottleneck']}", tip)
            self.browser.point(2, 2)
            self.assertFalse(self.browser.shown("#tip"), key)

    def test_the_tip_stays_inside_the_chart(self):
        self.open("small.html")
        for mark in range(3):
            self.point_at(mark)
            inside = self.browser.js("""
                const tip = document.getElementById('tip').getBoundingClientRect();
                const chart = document.getElementById('chart-frame').getBoundingClientRect();
                return tip.left >= chart.left - 1 && tip.right <= chart.right + 1 && tip.top >= chart.top - 1;""")
            self.assertTrue(inside)

    def test_keyboard_goes_from_kernel_to_kernel(self):
        self.open("alexnet.html")
        longest = self.browser.js("const {table} = window.rooftilePage; return table.name(table.longest()[0])")
        self.browser.press("#chart", "\ue014")  # right arrow
        self.assertIn(longest, self.browser.text("#tip"))
        self.assertIn(longest, self.browser.text("#announce"))
        self.browser.press("#chart", "\ue014")
        self.assertNotIn(longest, self.browser.text("#tip h3"))
        self.browser.press("#chart", "\ue00c")  # escape
        self.assertFalse(self.browser.shown("#tip"))

    def test_legend_hides_a_series(self):
        self.open("alexnet.html")
        self.choose_chart("hierarchical")
        before, picture = self.drawn(), self.canvas()
        self.browser.click("#chart-legend button:nth-child(2)")
        self.assertEqual(self.drawn(), before * 2 // 3)
        self.assertNotEqual(self.canvas(), picture)
        self.assertEqual(self.browser.js("return document.querySelector('#chart-legend button:nth-child(2)').ariaPressed"), "false")
        self.browser.click("#chart-legend button:nth-child(2)")
        self.assertEqual(self.drawn(), before)

    def test_names_of_lines_stand_on_no_other_line(self):
        for page in ["alexnet.html", "bert.html"]:
            self.open(page)
            crossed = self.browser.js("""
                const {chart} = window.rooftilePage, crossed = [], text = chart.text;
                chart.text = function(label, x, y, style) {
                  if (label === 'overhead of one launch' && this.crossed(x, y, this.context.measureText(label).width)) crossed.push(label);
                  text.call(this, label, x, y, style);
                };
                chart.drawNow();
                return crossed;""")
            self.assertEqual(crossed, [], page)

    def test_a_box_out_of_view_has_no_name(self):
        self.open("alexnet.html")
        places = self.browser.js("""
            const {chart} = window.rooftilePage, [left, bottom] = [chart.left - 20, chart.bottom - 50];
            return chart.labelPlaces([[left - 10, bottom], [left, bottom], [left, chart.bottom]], 100, 9, undefined, 'box');""")
        self.assertEqual(places, [])

    def test_zoom_draws_what_is_visible(self):
        self.open("alexnet.html")
        whole = self.drawn()
        for _ in range(6):
            self.browser.click("#zoom-in")
        self.assertLess(self.drawn(), whole)
        self.browser.click("#zoom-reset")
        self.assertEqual(self.drawn(), whole)

    def test_a_chosen_row_is_marked_in_the_chart(self):
        self.open("alexnet.html")
        picture = self.canvas()
        self.browser.click("#table tbody tr:not(.space) button")
        self.assertNotEqual(self.canvas(), picture)
        self.assertEqual(len(self.browser.driver.find_elements("css selector", "tr[aria-selected=true]")), 1)

    def test_levels_and_colours_can_be_chosen(self):
        self.open("alexnet.html")
        legend = self.browser.text("#chart-legend")
        self.browser.js("const s = document.getElementById('colour'); s.value = 'op'; s.dispatchEvent(new Event('change'))")
        self.assertNotEqual(self.browser.text("#chart-legend"), legend)
        picture = self.canvas()
        self.browser.js("const s = document.getElementById('level'); s.value = '0'; s.dispatchEvent(new Event('change'))")
        self.browser.settle()
        self.assertNotEqual(self.canvas(), picture)

    def test_a_view_without_kernels_says_so(self):
        self.open("empty.html")
        self.assertEqual(self.drawn(), 0)
        self.assertEqual(self.browser.text("#table-count"), "0 rows")


class Bars(PageTest):
    def test_the_whole_is_split_as_the_report_has_it(self):
        self.open("alexnet.html")
        report = json.loads((self.folder / "alexnet.json").read_text())[0]
        busy = report["host"]["gpu_busy_s"]
        expected = {}
        for layer in report["layers"]:
            if layer["time_s"] > 0:
                expected[layer["bottleneck"]] = expected.get(layer["bottleneck"], 0) + layer["time_s"] / busy
        shares = self.browser.js("""
            return Object.fromEntries(Array.from(document.querySelectorAll('#whole-bars .stack span'),
                (part) => [part.dataset.part, parseFloat(part.style.width) / 100]))""")
        self.assertEqual(set(shares), set(expected))
        for name, share in expected.items():
            self.assertAlmostEqual(shares[name], share, places=4)

    def test_a_press_on_the_legend_hides_a_limit(self):
        self.open("alexnet.html")
        count = "return document.querySelectorAll('#bottlenecks .stack span[data-part=compute]').length"
        self.assertGreater(self.browser.js(count), 0)
        self.browser.click("#limit-legend button:nth-child(1)")
        self.assertEqual(self.browser.js(count), 0)

    def test_equal_layers_are_one_bar(self):
        self.open("bert.html")
        names = self.browser.js("return Array.from(document.querySelectorAll('#layer-bars .name'), (name) => name.textContent)")
        self.assertIn("layer*/attention/scores x 12", names)
        self.assertEqual(len(set(names)), len(names))
        count, groups = self.browser.js("const {table} = window.rooftilePage; return [table.count, table.groups().map((g) => g.kernels.length)]")
        self.assertEqual(sum(groups), count)

    def test_a_limit_has_one_colour_and_text_on_it_can_be_read(self):
        self.open("alexnet.html")
        for scheme in ["light", "dark"]:
            self.browser.media(prefers_color_scheme=scheme)
            parts = self.browser.js("""
                return Array.from(document.querySelectorAll('#bottlenecks .stack span'),
                    (part) => [part.dataset.part, getComputedStyle(part).backgroundColor, getComputedStyle(part).color])""")
            self.assertEqual(len({(name, colour) for name, colour, _ in parts}), len({name for name, _, _ in parts}))
            for name, colour, text in parts:
                self.assertGreaterEqual(contrast(colour, text), 4.5, f"{name} {scheme}")

    def test_matches_and_stalls(self):
        self.open("small.html")
        cells = self.browser.js("return Array.from(document.querySelectorAll('#fix-table tbody td'), (cell) => cell.textContent)")
        self.assertEqual(cells[:8], ['conv, "first"', "480 us", "700 us", "400 us", "1.75", "1.1", "–", "1.33"])
        self.assertFalse(self.browser.shown("#more-fix"))  # one match
        names = self.browser.js("return Array.from(document.querySelectorAll('#layer-bars .name'), (name) => [name.title, name.textContent])")
        self.assertEqual(names[0], ['conv, "first": void gemm<float, 128, "x">(int, float const*)', 'conv, "first": voi…nt, float const*)'])
        self.assertIn("700 us · 66.2 % measured", self.browser.text("#layer-bars"))
        self.assertIn("memory_dependency 70.0 %", self.browser.text("#stall-bars"))
        self.assertIn("estimate", self.browser.text("#stalls-note"))
        self.assertIn("profile.csv:7: time is 0", self.browser.text("#lists"))
        self.assertIn("and 2 more", self.browser.text("#lists"))
        self.open("alexnet.html")
        self.assertFalse(self.browser.shown("#fix"))


class Table(PageTest):
    def saved(self):
        name, content = self.browser.downloaded("#save")
        self.assertTrue(name.endswith(".csv"), name)
        return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))

    def test_csv_holds_the_prediction(self):
        self.open("alexnet.html")
        report = json.loads((self.folder / "alexnet.json").read_text())[0]
        layers = [layer for layer in report["layers"] if layer["time_s"] > 0]
        rows = self.saved()
        self.assertEqual([row["name"] for row in rows], [layer["name"] for layer in layers])
        for row, layer in zip(rows, layers):
            self.assertEqual(float(row["time_s"]), layer["time_s"])
            self.assertEqual(row["limited_by"], layer["bottleneck"])
            self.assertEqual(row["method"], layer["method"])
            traffic = layer["traffic_bytes"]
            self.assertAlmostEqual(float(row["dram_bytes"]), traffic["dram"] + traffic["store_dram"], delta=2)
            self.assertEqual(float(row["case_compute_s"]), layer["cases_s"]["compute"])

    def test_csv_holds_the_time_points_of_the_library(self):
        self.open("small.html")
        points = json.loads((self.folder / "small.json").read_text())
        rows = self.saved()
        self.assertEqual(len(rows), len(points))
        for row, point in zip(rows, points):
            for key in ["compute_time_s", "bandwidth_time_s", "overhead_s", "achievable_s", "inefficiency"]:
                if point is None:
                    self.assertEqual(row[key], "", row["name"])
                else:
                    self.assertAlmostEqual(float(row[key]) / (point[key] or 1), 1 if point[key] else 0, places=12, msg=row["name"])
            if row["origin"] == "measured":
                self.assertEqual(row["limited_by"], point["bound"] if point else "")

    def test_csv_keeps_commas_quotes_and_lines(self):
        self.open("small.html")
        names = [row["name"] for row in self.saved()]
        self.assertEqual(names[0], 'conv, "first"')
        self.assertEqual(names[1], HOSTILE)
        self.assertEqual(names[2], "relu\nof two lines \ufffd")
        self.assertEqual(names[5], "copy \u202e backwards \U0001f600")

    def test_search_finds_a_layer_and_marks_it(self):
        self.open("alexnet.html")
        count = len(self.rows())
        picture = self.canvas()
        self.browser.type("#search", "CONV3")
        found = self.rows()
        self.assertTrue(0 < len(found) < count)
        self.assertTrue(all("conv3" in name for name in found), found)
        self.assertEqual(self.browser.text("#found"), f"{len(found)} of {len(self.data()['kernels']['time_s'])}")
        self.assertNotEqual(self.canvas(), picture)
        self.browser.press("#search", "\ue003" * 5)  # backspace
        self.assertEqual(len(self.rows()), count)
        self.assertEqual(self.canvas(), picture)

    def test_a_column_sorts_both_ways_and_back(self):
        self.open("alexnet.html")
        times = self.data()["kernels"]["time_s"]
        at = "th:has(button[title='Sort by time'])"
        original = self.rows()
        column = "return Array.from(document.querySelectorAll('#table tbody tr:not(.space) td:first-child button'), (b) => Number(b.dataset.kernel))"
        self.browser.click(f"{at} button")
        shown = [times[kernel] for kernel in self.browser.js(column)]
        self.assertEqual(shown, sorted(shown, reverse=True))
        self.assertEqual(shown[0], max(times))
        self.assertEqual(self.browser.js("return document.querySelector(arguments[0]).ariaSort", at), "descending")
        self.browser.click(f"{at} button")
        self.assertEqual(times[self.browser.js(column)[0]], min(times))
        self.browser.click(f"{at} button")
        self.assertEqual(self.rows(), original)


class Reading(PageTest):
    def colours(self):
        return {name: self.browser.js("""
            const probe = document.body.appendChild(document.createElement('i'));
            probe.style.color = `var(--${arguments[0]})`;
            const colour = getComputedStyle(probe).color;
            probe.remove();
            return colour;""", name) for name in ["ground", "raised", "text", "quiet", "accent", "highlight"]}

    def corner(self):
        return self.browser.js("""
            const pen = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
            pen.drawImage(document.getElementById('chart'), 0, 0);
            return Array.from(pen.getImageData(0, 0, 1, 1).data).slice(0, 3)""")

    def check_contrast(self):
        colours = self.colours()
        for ground in ["ground", "raised", "highlight"]:
            for text in ["text", "quiet"] if ground != "highlight" else ["text"]:
                self.assertGreaterEqual(contrast(colours[text], colours[ground]), 4.5, f"{text} on {ground}")
        self.assertGreaterEqual(contrast(colours["accent"], colours["ground"]), 4.5)

    def test_dark_follows_the_system_and_the_button(self):
        self.open("alexnet.html")
        self.assertEqual(self.corner(), [255, 255, 255])
        self.check_contrast()
        self.browser.media(prefers_color_scheme="dark")
        self.assertLess(luminance(self.browser.style("body", "backgroundColor")), 0.05)
        self.assertLess(max(self.corner()), 64)
        self.check_contrast()
        self.browser.click("#theme")  # light
        self.assertEqual(self.corner(), [255, 255, 255])
        self.browser.click("#theme")  # dark
        self.assertLess(max(self.corner()), 64)

    def test_paper_has_no_controls_and_the_rows(self):
        self.open("alexnet.html")
        self.browser.media("print", prefers_color_scheme="dark")
        for selector in ["#search", "#theme", "#save", "#chart-choice", "#zoom-in", "#more-bars"]:
            self.assertFalse(self.browser.shown(selector), selector)
        self.assertEqual(len(self.rows()), len(self.data()["kernels"]["time_s"]))
        self.assertEqual(self.browser.style("body", "backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(self.corner(), [255, 255, 255])
        self.open("many.html")
        self.assertEqual(len(self.rows()), 400)
        self.assertIn("first 400 of 100,000", self.browser.text("#print-note"))

    def test_every_control_has_a_name(self):
        self.open("small.html")
        nameless = self.browser.js("""
            return Array.from(document.querySelectorAll('button, input, select, [role=application], [role=img], [role=region]'))
                .filter((one) => !(one.ariaLabel || one.textContent.trim() || (one.labels && one.labels.length) ||
                    one.getAttribute('aria-labelledby'))).map((one) => one.outerHTML.slice(0, 80))""")
        self.assertEqual(nameless, [])
        for landmark in ["header", "nav[aria-label]", "main", "footer", "[role=search]"]:
            self.assertEqual(len(self.browser.driver.find_elements("css selector", landmark)), 1, landmark)

    def test_nothing_is_wider_than_a_telephone(self):
        self.browser.command("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=2, mobile=False)
        try:
            for page in ["small.html", "alexnet.html"]:
                self.open(page)
                self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth"), 390, page)
                self.assertEqual(self.browser.js("const c = document.getElementById('chart'); return c.width / c.clientWidth"), 2)
        finally:
            self.browser.command("Emulation.clearDeviceMetricsOverride")

    def test_several_gpus_can_be_chosen(self):
        self.open("alexnet.html")
        reports = json.loads((self.folder / "alexnet.json").read_text())
        first = self.browser.text("#title")
        self.browser.js("const s = document.getElementById('view'); s.value = '1'; s.dispatchEvent(new Event('change'))")
        self.browser.settle()
        self.assertNotEqual(self.browser.text("#title"), first)
        throughput = self.browser.text("#cards .card:nth-child(2) .value").split()[0].replace(",", "")
        self.assertAlmostEqual(float(throughput), reports[1]["throughput_per_s"], delta=0.5)


class Safety(PageTest):
    def test_hostile_names_stay_text(self):
        self.open("small.html")
        self.assertIsNone(self.browser.js("return window.broken || null"))
        self.assertTrue(self.browser.text("#title").startswith("</title><script>window.broken = 1</script> {{data}} \"net\""))
        self.assertIn(HOSTILE, self.rows())
        self.assertIn("<b>bold</b>", self.rows())
        self.assertEqual(self.browser.driver.find_elements("css selector", "main b, main img, main script"), [])
        for mark in range(4):
            self.point_at(mark)
        self.browser.type("#search", "<script>")
        self.assertEqual(self.rows(), [HOSTILE])
        self.assertIsNone(self.browser.js("return window.broken || null"))

    def test_the_policy_lets_nothing_else_run_or_load(self):
        self.quiet = False  # each refusal is a line on the console, and a request that was not sent
        self.open("empty.html")
        refused = self.browser.driver.execute_async_script("""
            const done = arguments[0], refused = [];
            document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
            const script = document.createElement('script');
            script.textContent = 'window.broken = 4';
            document.body.append(script);
            document.body.insertAdjacentHTML('beforeend', '<img src="https://example.invalid/x.png">');
            fetch('https://example.invalid/').catch(() => setTimeout(() => done(refused.sort()), 50));""")
        self.assertEqual(refused, ["connect-src", "img-src", "script-src-elem"])
        self.assertIsNone(self.browser.js("return window.broken || null"))


class Many(PageTest):
    def test_a_hundred_thousand_kernels_stay_usable(self):
        self.assertLess(self.open("many.html"), 20)
        self.assertEqual(self.browser.text("#table-count"), "100,000 rows")
        self.assertLess(self.browser.js("return document.querySelectorAll('*').length"), 3000)
        self.assertGreater(self.drawn(), 1000)
        start = time.monotonic()
        self.browser.type("#search", "kernel_77<")
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(self.browser.text("#table-count"), "200 of 100,000 rows")
        self.browser.js("document.getElementById('table-frame').scrollTop = 1e6")
        self.browser.settle()
        self.assertTrue(all("kernel_77<" in name for name in self.rows()))
        start = time.monotonic()
        self.point_at(0)
        for key in CHARTS:
            self.choose_chart(key)
        self.assertLess(time.monotonic() - start, 10)

    def test_the_last_row_can_be_reached(self):
        self.open("many.html")
        self.browser.js("const f = document.getElementById('table-frame'); f.scrollTop = f.scrollHeight")
        self.browser.settle()
        last = self.browser.js("return Array.from(document.querySelectorAll('#table tbody button')).at(-1).dataset.kernel")
        self.assertEqual(last, "99999")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--writer", required=True, help="the program write_pages")
    parser.add_argument("--cli", required=True, help="the program rooftile")
    arguments, rest = parser.parse_known_args()
    if not browser.available():
        print("skipped: no Chromium; install chromium and chromium-driver")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        PageTest.folder = Path(folder)
        write_pages(PageTest.folder, arguments.writer, arguments.cli)
        PageTest.browser = Browser(folder)
        try:
            return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1
        finally:
            PageTest.browser.close()


if __name__ == "__main__":
    sys.exit(main())
