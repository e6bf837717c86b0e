"""The same 50 steps by Selenium: `selenium_steps.py CHROMIUM CHROMEDRIVER ADDRESS ROUNDS`; prints the milliseconds of each step."""

import json
import os
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By


def main():
    chromium, chromedriver, address, rounds = sys.argv[1:]
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ["--headless=new", "--window-size=1280,800", *(["--no-sandbox"] if os.geteuid() == 0 else [])]:
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    took = []

    def step(work, *arguments):
        began = time.perf_counter()
        work(*arguments)
        took.append((time.perf_counter() - began) * 1e3)

    def fill(text):
        field = driver.find_element(By.ID, "name")
        field.clear()
        field.send_keys(text)

    def click(button):
        driver.find_element(By.ID, button).click()

    def says(wanted):
        text = driver.find_element(By.ID, "said").text
        assert text == wanted, f"{text} is not {wanted}"

    try:
        driver.get(address + "/counter.html")
        for number in range(int(rounds)):
            step(fill, f"name {number}")
            step(click, "greet")
            step(says, f"Hello, name {number}")
            step(click, "forget")
            step(says, f"Forgot name {number}")
    finally:
        driver.quit()
    print(json.dumps(took))


if __name__ == "__main__":
    main()
