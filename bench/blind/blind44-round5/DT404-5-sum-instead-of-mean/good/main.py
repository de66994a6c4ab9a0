from tot.fit import main

if __name__ == "__main__":
    print(main())
