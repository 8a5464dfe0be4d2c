// What a request to the server fails with.

/** An error of the server, or the reason that it was not reached: a stable code, its name and a message. While the server is
 * drained, also the signalling URL of another server. */
export class RoomError extends Error {
  /** @param {{ code: number, name: string, message: string, redirect?: string }} given @param {number} [status] */
  constructor({ code, name, message, redirect }, status = 0) {
    super(message)
    /** The stable code of api/signalling.md; 0 if the server was not reached. */
    this.code = code
    this.name = name
    /** The signalling URL of another server, while this one is drained. */
    this.redirect = redirect
    /** The HTTP status of a REST call, else 0. */
    this.status = status
  }
}

/** The socket is closed; whether the server has executed the request is unknown. */
export class ConnectionLost extends Error {
  constructor() {
    super('The connection to the server was lost.')
    this.name = 'connectionLost'
  }
}

/** A message over a data channel is not sent. `name` is 'tooLarge', 'congested' or 'unavailable', and `code` that of a refused message. */
export class DataError extends RoomError {
  /** @param {'tooLarge' | 'congested' | 'unavailable'} name @param {string} why */
  constructor(name, why) { super({ code: 81001, name, message: `The message was not sent: ${why}.` }) }
}

/** A message of the server does not have the shape of api/signalling.md; `field` is where. */
export class MalformedMessage extends Error {
  /** @param {string} what @param {string} [field] */
  constructor(what, field = '') {
    super(`The server sent a malformed message: ${what}${field && `, ${field}`}.`)
    this.name = 'malformedMessage'
    /** The field whose value has the wrong shape; empty if the whole message has. */
    this.field = field
  }
}
