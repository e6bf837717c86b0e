from uixt import main

main()
