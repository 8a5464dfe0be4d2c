// The public API of this module names types of these modules, so `import RoomClient` is the only import that an app needs.
@_exported import RoomRTP
@_exported import RoomProtocol
