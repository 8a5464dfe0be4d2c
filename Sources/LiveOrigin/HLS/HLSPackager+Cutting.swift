import RoomCodecs
import RoomRTP

// Cutting into segments and parts.

extension HLSPackager {
  /// Starts a new form, or resumes after a gap. Returns false if the muxer rejects it.
  func begin(_ wanted: HLSTracks, at time: MediaTime, isHole: Bool) -> Bool {
    flushWaiting(next: time)
    let isFirst = muxer == nil
    if isHole { resumed = time }
    if wanted != tracks || isFirst {
      guard let made = try? FragmentedMP4(wanted.all) else {
        closeSegment(at: min(time, end ?? time))
        muxer = nil
        tracks = HLSTracks()
        return false
      }
      closeSegment(at: isHole ? end ?? time : time)
      muxer = made
      tracks = wanted
      formStart = time
      soundClock = SoundClock(rate: wanted.audio?.sampleRate ?? 1)
      initialisation = nextNumber
      window.keep(initialisation: made.header, for: nextNumber)
    } else {
      closeSegment(at: isHole ? end ?? time : time)
    }
    partStart = time
    end = time
    open(at: time, isDiscontinuous: !window.listed.isEmpty)
    return true
  }

  /// Opens a segment if none is open.
  func openIfNeeded(at time: MediaTime, isIndependent: Bool) {
    guard window.growing == nil else { return }
    open(at: time, isDiscontinuous: false)
  }

  private func open(at time: MediaTime, isDiscontinuous: Bool) {
    if isDiscontinuous { counters.discontinuities &+= 1 }
    window.growing = HLSSegment(
      number: nextNumber, initialisation: initialisation, isDiscontinuous: isDiscontinuous, start: time)
    nextNumber += 1
    partStart = time
  }

  /// Cuts a part before a sample that would make it too long, and the segment if it is too long itself.
  func cutIfDue(at time: MediaTime, lasting duration: Int64) {
    guard window.growing != nil else { return }
    if time.milliseconds(since: segmentStart) >= settings.longestSegment
      || (window.growing?.bytes.count ?? 0) + partBytes > settings.bytes / 3
    {
      flushWaiting(next: time)
      closeSegment(at: time)
    } else if let length = settings.partLength, time.milliseconds(since: partStart) + duration > length, time > partStart {
      flushWaiting(next: time)
      cutPart(at: time)
    }
  }

  /// Cuts a part before the waiting picture if its duration, which the next picture determines, would make the part too long.
  /// Cameras vary their frame rate, so ``cutIfDue(at:lasting:)`` cannot foresee it.
  func cutBeforeWaiting(next time: MediaTime) {
    guard let picture = waiting, let length = settings.partLength, window.growing != nil, picture.time > partStart,
      time.milliseconds(since: partStart) > length
    else { return }
    cutPart(at: picture.time)
    partStart = picture.time
    partHasSamples = true
    partIsIndependent = picture.isKeyFrame
    partBytes = picture.body.count
  }

  private func cutPart(at time: MediaTime) {
    guard partHasSamples, let muxer else { return }
    partHasSamples = false
    partBytes = 0
    guard let bytes = try? muxer.takeFragment(), !bytes.isEmpty else { return }
    window.append(bytes, duration: max(1, time.milliseconds(since: partStart)), isIndependent: partIsIndependent)
    counters.parts &+= 1
    partStart = max(partStart, time)
  }

  /// Closes the open segment, if any.
  func closeSegment(at time: MediaTime) {
    guard let growing = window.growing else { return }
    flushWaiting(next: time)
    cutPart(at: time)
    let duration = max(1, max(time, partStart).milliseconds(since: growing.start))
    window.close(duration: duration)
    counters.segments &+= 1
  }

  func add(_ sample: FragmentedMP4.Sample, data: ArraySlice<UInt8>) {
    do throws(CodecError) { try muxer?.add(sample, data: data) } catch { drop() }
  }
}
