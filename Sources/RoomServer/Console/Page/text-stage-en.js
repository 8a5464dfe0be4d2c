// The texts of the stage and of what surrounds it, in English: a part of `text-en.js`.
export const stageEn = {
  // Joining, going live, and the stage with its bar.
  stage: {
    stage: 'Stage',
    room: 'Room',
    join: 'Join',
    watch: 'Watch',
    leave: 'Leave',
    leaveRoom: 'Leave the room',
    joinFirst: 'Join the room first.',
    notHere: 'You are not in this room',
    noLongerHere: 'You are no longer in this room',
    outsideOperator: 'Join with camera and microphone, or watch without being seen by the others.',
    outsideGuest: 'Join with camera and microphone, or only watch.',
    outsideAudience: 'Watch to see and hear those who are on stage.',
    reconnecting: 'Connection lost. Reconnecting…',
    reconnectingShort: 'reconnecting',
    clickToHear: 'Click anywhere to hear the others.',
    // How a session ended.
    /** @param {string} [by] */
    kickedOut: by => by ? `You were removed from the room by ${by}.` : 'You were removed from the room by an operator.',
    roomClosed: () => 'The room was closed.',
    duplicateLogin: () => 'You joined this room under the same name in another tab or on another device. It took over.',
    timedOut: () => 'The connection was lost for too long.',
    /** @param {string} reason */
    sessionEnded: reason => `The session ended (${reason}).`,
    /** @param {string} tag @param {boolean} muted @param {string} by */
    mutedBy: (tag, muted, by) => `Your ${tag} was ${muted ? 'muted' : 'unmuted'}${by ? ` by ${by}` : ''}.`,
    // Joining.
    joinRoom: 'Join room',
    /** @param {string} room */
    joinTitle: room => `Join ${room}`,
    notYetSeen: 'The others can’t see or hear you yet.',
    yourName: 'Your name in the room',
    nameRule: 'Up to 64 letters, digits and _ . @ : -',
    as: 'As',
    roles: {
      guest: { name: 'Guest', hint: 'Publishes and hears the others.' },
      audience: { name: 'Audience', hint: 'Listens and chats, and may ask for a seat.' },
      host: { name: 'Host', hint: 'Sits on the first seat; decides on seats, layout and PK; may go live.' },
    },
    // Devices.
    camera: 'Camera',
    microphone: 'Microphone',
    none: 'None',
    testPicture: 'Test picture',
    testTone: 'Test tone',
    sendsTestPicture: 'A test picture is sent instead.',
    sendsTestTone: 'A test tone is sent instead.',
    preview: 'Your camera',
    startingCamera: 'Starting the camera…',
    loudness: 'How loud you are',
    noPicture: 'No picture',
    cameraIsOff: 'Camera is off',
    noDevices: 'This browser has no access to cameras and microphones.',
    insecure: 'Browsers allow cameras and microphones only on HTTPS pages and localhost. Enable TLS, or join without them.',
    device: {
      camera: {
        denied: 'The browser was not allowed to use the camera. Allow it in the address bar and try again.',
        missing: 'There is no camera.', busy: 'The camera is in use by another program.', unusable: 'The camera can’t be used:',
      },
      microphone: {
        denied: 'The browser was not allowed to use the microphone. Allow it in the address bar and try again.',
        missing: 'There is no microphone.', busy: 'The microphone is in use by another program.', unusable: 'The microphone can’t be used:',
      },
    },
    devices: 'Devices',
    useThese: 'Use these',
    speaker: 'Speaker',
    defaultSpeaker: 'Default',
    noise: 'Suppress noise',
    echo: 'Cancel echo',
    blur: 'Blur the whole picture',
    blurHint: 'For privacy: you are blurred too, not only the background.',
    // The bar.
    yourMedia: 'Your media',
    muteMicrophone: 'Mute microphone',
    unmuteMicrophone: 'Unmute microphone',
    cameraOff: 'Turn camera off',
    cameraOn: 'Turn camera on',
    flip: 'Switch between front and back camera',
    shareScreen: 'Share your screen',
    stopSharing: 'Stop sharing',
    statistics: 'Statistics',
    showStatistics: 'Show statistics',
    hideStatistics: 'Hide statistics',
    chooseDevices: 'Choose devices',
    pip: 'Picture in a window of its own',
    fullScreen: 'Full screen',
    endFullScreen: 'End full screen',
    // Tiles.
    /** @param {string} user */
    enlarge: user => `Enlarge ${user}`,
    backToGrid: 'Back to the grid',
    /** @param {string} user */
    pictureOf: user => `Picture of ${user}`,
    you: ' (you)',
    screenTag: 'screen',
    mixTile: 'All seats in one picture',
    receivedSize: 'The size that is received',
    /** @param {string} share */
    lost: share => `${share} lost`,
    jitter: 'jitter',
    rtt: 'rtt',
    /** @param {string} user */
    qualityOf: user => `Quality of ${user}`,
    qualities: { best: 'Best', medium: 'Medium', small: 'Small', paused: 'Paused' },
    paused: { bandwidth: 'Paused: your connection is too slow', choice: 'Paused by you' },
    yourConnection: 'Your connection',
    /** @param {string} user */
    connectionOf: user => `${user}’s connection`,
    /** @param {string} up @param {string} down */
    connection: (up, down) => `sending ${up}, receiving ${down}`,
    // Going live.
    goLive: 'Go live',
    goLiveHint: 'You are the host of the room, and your camera and sound are sent to viewers.',
    goLiveHere: 'Your camera and sound are sent from this room to viewers.',
    whatAudienceGets: 'What the audience receives',
    where: 'Where it is sent',
    publishURL: 'Publish URL',
    publishURLHint: 'The host “origin” is this server: viewers then watch it here. Empty: nothing is sent out.',
    wrongURL: 'A publish URL begins with rtmp:// or rtmps://, and names a server and a stream, such as rtmp://origin/live/party.',
    nothingToSend: 'Nothing is sent: there is neither a camera nor a microphone.',
    /** @param {string} room @param {string} who */
    isLiveBy: (room, who) => `“${room}” is live by ${who}. If you take over, ${who} goes off air and off the stage.`,
    /** @param {string} room @param {string} who */
    isHostedBy: (room, who) => `“${room}” has a host, ${who}. If you take over, ${who} leaves the stage.`,
    /** @param {string} room */
    youAreThere: room => `Somebody with your name is in “${room}”: perhaps you, in another tab. If you take over, the other one is thrown out.`,
    otherRoom: 'Another room',
    takeOver: 'Take over',
    live: 'Live',
    starting: 'Starting…',
    failing: 'Not on air',
    interrupted: 'Interrupted',
    /** @param {number} count */
    viewers: count => count === 1 ? '1 viewer' : `${count} viewers`,
    watchAsViewer: 'Watch as a viewer',
    /** @param {string} reason */
    notOnAir: reason => `Nothing goes out: ${reason || 'the connection was refused'}. The server tries again.`,
    cameraOffOnAir: 'Your camera is off: viewers do not see you.',
    screenNotOnAir: 'Your screen is shown in this room only. Viewers of the live see your camera.',
    endLive: 'End live',
    endLiveTitle: 'End the live?',
    endLiveText: 'The stream ends for its viewers. You stay in the room.',
    leaveTitle: 'Leave and end the live?',
    leaveText: 'You are on air. If you leave, the stream ends for its viewers.',
    leaveAndEnd: 'Leave and end',
    liveAgain: 'Go live again',
    /** @param {string} span @param {number} most */
    liveResult: (span, most) => `The live is over, after ${span}. At most ${most === 1 ? '1 viewer' : `${most} viewers`} at once.`,
    /** @param {string} [by] */
    takenOver: by => by ? `${by} took over your live stream. You are off air.` : 'Another live took over your stream. You are off air.',
    /** @param {string} reason */
    liveFailed: reason => `The live ended: ${reason || 'the target refused it'}.`,
    noTracks: 'The live ended, because nothing was sent for 30 seconds.',
    liveStopped: 'An operator ended your live. You are off air.',
  },
  // Invitations, the running PK and its result.
  pk: {
    pk: 'PK',
    inviteToPK: 'Invite to PK',
    mutePeer: 'Mute the other side',
    unmutePeer: 'Unmute the other side',
    goOn: 'Go on',
    end: 'End PK',
    extend: '1 minute',
    extendHint: 'One minute more',
    limitHint: 'Ends the PK in one minute',
    needsHost: 'A PK needs a host on seat 1.',
    topGifts: 'Gifts:',
    otherRoom: 'the other room',
    none: 'No PK. The host may invite the host of another room.',
    noHost: 'No PK. It requires a participant who joined as host.',
    /** @param {string} who @param {string} time */
    with: (who, time) => `With ${who} for ${time}`,
    /** @param {boolean} isOurs @param {number} left */
    away: (isOurs, left) => `${isOurs ? 'this side' : 'the other side'} is disconnected, and has ${left} s to reconnect`,
    mutedByThem: 'they have muted you',
    mutedThem: 'you have muted them',
    /** @param {string} user @param {string} room */
    ofRoom: (user, room) => `${user} of ${room}`,
    /** @param {string} who */
    waitingFor: who => `Waiting for ${who}`,
    /** @param {string} who */
    invites: who => `${who} invites to a PK`,
    accept: 'Accept',
    reject: 'Reject',
    notNow: 'not now',
    couldNotStart: 'It could not start.',
    /** @param {{ outcome: string, reason?: string, error?: { message: string } }} data @param {string} other */
    outcome: ({ outcome, reason, error }, other) => {
      switch (outcome) {
        case 'rejected': return `${other} rejected the PK${reason ? `: ${reason}` : ''}.`
        case 'cancelled': return `The invitation with ${other} was withdrawn.`
        case 'timedOut': return `The invitation with ${other} timed out.`
        case 'failed': return `There is no PK with ${other}: ${error?.message ?? 'it could not start'}.`
        default: return undefined
      }
    },
    /** @param {{ reason: string, room?: string, by?: string }} data @param {string} own */
    ended: ({ reason, room, by }, own) => {
      switch (reason) {
        case 'quit': return room === own ? `The PK was ended${by ? ` by ${by}` : ''}.` : `The PK was ended by ${room}.`
        case 'time': return 'The time of the PK is over.'
        case 'lost': return 'The PK ended: one side was disconnected for too long.'
        case 'roomClosed': return 'The PK ended: a room was closed.'
        case 'failed': return 'The PK ended: it could not continue.'
        default: return 'The PK is over.'
      }
    },
    rematch: 'Rematch',
    draw: 'Draw',
    youWon: 'You won',
    youLost: 'You lost',
    /** @param {string} who */
    won: who => `${who} won`,
    elapsed: 'Time since the start',
    left: 'Time left',
    inviteTitle: 'Invite to a PK',
    inviteHint: 'The host of the other room has 30 seconds to answer. Both audiences then see both, side by side.',
    whoIsLive: 'Rooms with a host',
    nobodyLive: 'No other room has a host now.',
    typeRoom: 'Enter the name of a room with a host.',
    room: 'Room',
    duration: 'Duration',
    noLimit: 'Until it is ended',
    /** @param {number} count */
    minutes: count => `${count} minutes`,
    invite: 'Invite',
    inPK: 'in a PK',
  },
  // Seats, requests and invitations to them.
  seats: {
    seats: 'Seats',
    layout: 'Layout',
    layouts: {
      oneToOne: 'One to one', oneToSix: 'One to six', gridTwo: 'Grid of 2', gridThree: 'Grid of 3', gridFour: 'Grid of 4', gridSeven: 'Grid of 7', gridNine: 'Grid of 9',
    },
    custom: 'Custom',
    take: 'Take a seat',
    request: 'Request a seat',
    cancelRequest: 'Cancel request',
    /** @param {number} taken @param {number} all */
    count: (taken, all) => `${taken} of ${all}`,
    /** @param {number} seat */
    takeNumber: seat => `Take seat ${seat}`,
    /** @param {number} seat */
    requestNumber: seat => `Request seat ${seat}`,
    /** @param {number} seat */
    inviteNumber: seat => `Invite a participant to seat ${seat}`,
    leave: 'Leave your seat',
    /** @param {number} seat */
    loudness: seat => `Loudness of seat ${seat}`,
    locked: 'Locked',
    free: 'Free',
    hostsSeat: 'The host’s seat',
    mutedByHost: 'Muted by the host',
    soundOff: 'Sound off',
    pictureOff: 'Picture off',
    /** @param {number} seat */
    mute: seat => `Mute seat ${seat}`,
    /** @param {number} seat */
    unmute: seat => `Unmute seat ${seat}`,
    /** @param {number} seat */
    lock: seat => `Lock seat ${seat}`,
    /** @param {number} seat */
    unlock: seat => `Unlock seat ${seat}`,
    /** @param {string} user */
    takeOff: user => `Take ${user} off the seat`,
    /** @param {number} seat */
    inviteTitle: seat => `Invite to seat ${seat}`,
    /** @param {number} count */
    inviteHint: count => `${count === 1 ? '1 person is' : `${count} people are`} here without a seat. They have 30 seconds to answer.`,
    allSeated: 'Every participant has a seat.',
    who: 'Who',
    invite: 'Invite',
    inviteToSeat: 'Invite to a seat',
    /** @param {number} seat */
    seat: seat => `seat ${seat}`,
    aSeat: 'a seat',
    /** @param {string} where */
    youRequested: where => `You requested ${where}`,
    /** @param {string} user @param {string} where */
    requested: (user, where) => `${user} requested ${where}`,
    /** @param {string} by @param {string} where */
    invitesYou: (by, where) => `${by} invites you to ${where}`,
    /** @param {string} user @param {string} where */
    isInvited: (user, where) => `${user} is invited to ${where}`,
    theHost: 'The host',
    accept: 'Accept',
    reject: 'Reject',
    takeIt: 'Take it',
    decline: 'Decline',
    /** @param {string} by */
    requestRejected: by => `Your request for a seat was rejected${by ? ` by ${by}` : ''}.`,
    requestExpired: 'Nobody answered your request for a seat. You may ask again.',
    /** @param {string} user */
    invitationRejected: user => `${user} declined the seat.`,
    /** @param {string} user */
    invitationExpired: user => `${user} did not answer the invitation to a seat.`,
    /** @param {string} by */
    kickedOff: by => `You were removed from your seat${by ? ` by ${by}` : ''}. Your microphone and camera are off.`,
    layoutOff: 'The layout changed, and your seat was removed. Your microphone and camera are off.',
    onSeat: 'You are on a seat, and your microphone is on.',
  },
  // Messages, likes and gifts.
  chat: {
    chat: 'Chat',
    messages: 'Messages',
    message: 'Message',
    say: 'Say something',
    send: 'Send',
    empty: 'Nothing was said yet.',
    over: 'Over the picture',
    like: 'Like',
    /** @param {number} count */
    likes: count => count === 1 ? '1 like' : `${count} likes`,
    giftsLabel: 'Gifts',
    /** @type {Record<string, string>} */
    gifts: { rose: 'rose', star: 'star', rocket: 'rocket', crown: 'crown' },
    /** @param {string} gift */
    give: gift => `Give a ${gift}`,
    /** @param {string} gift @param {number} points */
    giveFor: (gift, points) => `Give a ${gift}: ${points === 1 ? '1 point' : `${points} points`} in a PK`,
    /** @param {string} gift @param {number} count */
    gives: (gift, count) => `gives a ${gift}${count > 1 ? ` × ${count}` : ''}`,
    operator: 'The operator',
    /** @param {string} user */
    to: user => `to ${user}`,
  },
}
