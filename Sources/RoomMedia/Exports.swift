// The public API of this module names types of these modules, so `import RoomMedia` is the only import that an app needs.
@_exported import RoomCodecs
@_exported import RoomClient
