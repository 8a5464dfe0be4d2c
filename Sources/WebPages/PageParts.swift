import RoomServer

/// The parts of people with a browser.
package let pageParts: [any ServerPart.Type] = [ConsolePart.self, WatchPart.self, WebClientPart.self]
