"""Tries the virtual phone's UiAutomator2 server with Appium's own client, straight at its port.

Usage: appium_client.py PORT. Prints what it saw as one JSON object.
"""

import json
import sys

from appium import webdriver
from appium.options.android import UiAutomator2Options
from appium.webdriver.common.appiumby import AppiumBy
from selenium.common.exceptions import NoSuchElementException
from selenium.webdriver.common.action_chains import ActionChains

driver = webdriver.Remote(f"http://127.0.0.1:{sys.argv[1]}/wd/hub", options=UiAutomator2Options())
seen = {"class_named": "<android.widget.FrameLayout " in driver.page_source}
driver.find_element(AppiumBy.XPATH, '//*[@text="Shop"]').click()
field = driver.find_element(AppiumBy.ID, "com.uixt.shop:id/user")
seen["hint"] = field.text
field.send_keys("hello")
ActionChains(driver).send_keys(" there").perform()
seen["typed"] = driver.find_element(AppiumBy.ID, "user").text
field.clear()
seen["cleared"] = driver.find_element(AppiumBy.ID, "user").text
seen["rect"] = sorted(field.rect)
seen["buttons"] = [button.text for button in driver.find_elements(AppiumBy.CLASS_NAME, "android.widget.Button")]
try:
    driver.find_element(AppiumBy.ACCESSIBILITY_ID, "nowhere")
except NoSuchElementException:
    seen["missing"] = True
driver.update_settings({"waitForIdleTimeout": 0})
seen["settings"] = driver.get_settings()
seen["orientation"] = driver.orientation
seen["png"] = driver.get_screenshot_as_png()[:4].hex()
driver.swipe(500, 1500, 500, 500, 300)
driver.quit()
print(json.dumps(seen))
