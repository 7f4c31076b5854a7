"""Headless Chromium from Debian's packages, driven by selenium, its console and network watched."""

import json
import shutil
from contextlib import contextmanager

from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
)
SOFTWARE_GL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
PATIENCE = 120  # seconds for a script: the first that draws starts a process, and the machine may be busy


def missing():
    """Why no browser can be driven here; empty if one can."""
    absent = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"needs Debian's chromium and chromium-driver (no {', '.join(absent)})" if absent else ""


@contextmanager
def browser(profile, width=1280, height=1400, webgl=True):
    """A browser with a fresh profile folder."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, *(SOFTWARE_GL if webgl else ("--disable-gpu", "--disable-3d-apis"))):
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(PATIENCE)
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def showing(page, profile, **given):
    """A browser that has opened a page; given : of `browser`."""
    with browser(profile, **given) as driver:
        driver.get(page.as_uri())
        yield driver


def unfold(driver):
    """Open all that is folded."""
    driver.execute_script('document.querySelectorAll("details").forEach((one) => { one.open = true; })')


def prefer(driver, mode):
    """Ask for `light` or `dark`, as a reader's system does."""
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": mode}]}
    )


def axe_findings(driver, mode):
    """(rule, HTML of each place) of all that axe finds on the page in one mode."""
    prefer(driver, mode)
    unfold(driver)
    found = Axe().run(driver)["violations"]
    prefer(driver, "light")
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


def complaints(driver):
    """Errors and warnings on the console."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def requests(driver):
    """Addresses that the page asked for, its own file, data inside it and the browser itself left out, and what the
    page's policy stopped before it was sent.
    """
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    failed = [one["params"] for one in events if one["method"] == "Network.loadingFailed"]
    stopped = {one["requestId"] for one in failed if one.get("blockedReason") == "csp"}
    sent = [one["params"] for one in events if one["method"] == "Network.requestWillBeSent"]
    asked = [one["request"]["url"] for one in sent if one["requestId"] not in stopped]
    return [address for address in asked if not address.startswith(("data:", "file:", "blob:", "chrome:"))]
