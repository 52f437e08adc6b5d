"""A headless Chromium for tests of pages: what a user does with mouse and keyboard, and what must not happen meanwhile."""
import json
import os
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

CHROMIUM = "/usr/bin/chromium"
CHROMEDRIVER = "/usr/bin/chromedriver"
WIDTH, HEIGHT = 1280, 900
PATIENCE = 30  # seconds for a page or a script


def available():
    """Whether Chromium and its driver are installed."""
    return os.access(CHROMIUM, os.X_OK) and os.access(CHROMEDRIVER, os.X_OK)


class Browser:
    """One Chromium. `folder` takes its profile and its downloads."""

    def __init__(self, folder):
        os.environ["NO_PROXY"] = os.environ["no_proxy"] = "localhost,127.0.0.1"
        self.downloads = os.path.join(folder, "downloads")
        os.makedirs(self.downloads)
        options = Options()
        options.binary_location = CHROMIUM
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={WIDTH},{HEIGHT}",
                     f"--user-data-dir={folder}/profile", "--force-device-scale-factor=1", "--no-first-run",
                     "--disable-background-networking"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium's sandbox refuses to work for root, as in containers
        for argument in arguments:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(CHROMEDRIVER), options=options)
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)
        self.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.downloads)
        self.js = self.driver.execute_script

    def command(self, name, **arguments):
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def open(self, path):
        """Opens a file and returns the seconds until the page has drawn itself."""
        start = time.monotonic()
        self.driver.get("file://" + str(path))
        self.settle()
        return time.monotonic() - start

    def settle(self):
        """Waits until two frames have been drawn: what was asked for is on the screen."""
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done));")

    def media(self, kind="", **features):
        """Shows the page as on paper ("print"), or with prefers_color_scheme="dark"."""
        named = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.command("Emulation.setEmulatedMedia", media=kind, features=named)
        self.settle()

    def point(self, x, y):
        """Moves the mouse to a place in the window."""
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def click(self, selector):
        self.driver.find_element("css selector", selector).click()
        self.settle()

    def type(self, selector, text):
        """Replaces what stands in a field."""
        field = self.driver.find_element("css selector", selector)
        field.clear()
        field.send_keys(text)
        self.settle()

    def press(self, selector, *keys):
        self.driver.find_element("css selector", selector).send_keys(*keys)
        self.settle()

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0]).textContent", selector)

    def style(self, selector, name):
        return self.js("return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector, name)

    def shown(self, selector):
        return self.js("return document.querySelector(arguments[0]).getClientRects().length > 0", selector)

    def downloaded(self, click):
        """Clicks and returns the name and the bytes of the file that is saved."""
        for name in os.listdir(self.downloads):
            os.remove(os.path.join(self.downloads, name))
        self.click(click)
        for _ in range(200):
            saved = [name for name in os.listdir(self.downloads) if name.endswith(".csv")]
            if saved:
                with open(os.path.join(self.downloads, saved[0]), "rb") as file:
                    return saved[0], file.read()
            time.sleep(0.05)
        raise AssertionError("nothing was saved within 10 seconds")

    def complaints(self):
        """Errors and warnings on the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses asked for since the last call, other than files, data and blobs of the page itself."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                parameters = message["params"]
                found.append(parameters.get("request", parameters)["url"])
        return [url for url in found if not url.startswith(("file:", "data:", "blob:"))]

    def close(self):
        self.driver.quit()
