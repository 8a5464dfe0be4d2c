/// Files that the app uploads for players.
enum UploadsSection: SettingSection {
  static let title = "Uploads"
  static let settings: [Setting] = [
    .text(
      "upload-directory", "directory", at: \.uploadDirectory, default: "none, no uploads",
      "A directory for files that POST /v1/uploads stores, for this server alone"),
    .count(
      "upload-bytes", 1...1 << 50, at: \.upload.largest, unit: "bytes", requires: "upload-directory",
      "The maximum size of an uploaded file in bytes"),
    .count(
      "upload-total-bytes", 1...1 << 50, at: \.upload.total, unit: "bytes", requires: "upload-directory",
      "The maximum size of all uploaded files together in bytes; further uploads are refused"),
    .time(
      "upload-seconds", 1...31_536_000, .seconds, at: \.upload.unusedTime, requires: "upload-directory",
      "Seconds after which an upload that no player used is deleted"),
  ]
}
