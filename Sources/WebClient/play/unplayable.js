// Why a viewer sees nothing. The page says so in words, and reports the reason to the server, which counts them.

/** @typedef {'codec' | 'network' | 'permission' | 'offline'} Reason */

// A source that can't be played, and why.
export class Unplayable extends Error {
  /** @param {Reason} reason @param {string} message */
  constructor(reason, message) {
    super(message)
    this.reason = reason
  }
}

// The stream has other tracks now, which need a new buffer.
export class OtherTracks extends Error {}

// The reason of any failure of a source.
/** @param {unknown} failure @returns {Reason} */
export function reason(failure) {
  if (failure instanceof Unplayable) return failure.reason
  const { status } = /** @type {Failure} */ (failure ?? {})
  return status === 401 || status === 403 ? 'permission' : 'network'
}
