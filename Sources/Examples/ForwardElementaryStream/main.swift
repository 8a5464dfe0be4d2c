import ArgumentParser

await ForwardElementaryStream.main()
