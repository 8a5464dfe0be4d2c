import Testing

@Suite("The browser of the tests")
struct ChromiumTests {
  @Test("a page opens and answers")
  func opens() async throws {
    let client = try await BrowserClient.open()
    let state = try await client.state()
    #expect(state.publishing == "none")
    #expect(try await client.received().isEmpty)
    try await client.close()
  }
}
