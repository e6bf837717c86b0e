*** Settings ***
Documentation    The same 50 steps by Robot Framework and SeleniumLibrary; CHROMIUM, CHROMEDRIVER, ADDRESS, ROUNDS and FLAGS are variables.
Library          SeleniumLibrary

*** Test Cases ***
Greet And Forget
    ${options} =    Evaluate    selenium.webdriver.ChromeOptions()    modules=selenium.webdriver
    ${options.binary_location} =    Set Variable    ${CHROMIUM}
    FOR    ${flag}    IN    --headless=new    --window-size=1280,800    @{{$FLAGS.split()}}
        Call Method    ${options}    add_argument    ${flag}
    END
    ${service} =    Evaluate    selenium.webdriver.chrome.service.Service($CHROMEDRIVER)    modules=selenium.webdriver.chrome.service
    Create Webdriver    Chrome    options=${options}    service=${service}
    Go To    ${ADDRESS}/counter.html
    FOR    ${number}    IN RANGE    ${ROUNDS}
        Input Text    id:name    name ${number}
        Click Element    id:greet
        Element Text Should Be    id:said    Hello, name ${number}
        Click Element    id:forget
        Element Text Should Be    id:said    Forgot name ${number}
    END
    [Teardown]    Close All Browsers
