// `import RoomStreaming` is the only import that an app needs: pictures, audio and the client.
@_exported import RoomMedia
