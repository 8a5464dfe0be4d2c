// All texts in English, by the part of the page that shows them. `text-zh.js` has the same members, which the type check proves.

/** @param {number} value @param {string} one @param {string} [many] */
const some = (value, one, many = `${one}s`) => `${value.toLocaleString('en')} ${value === 1 ? one : many}`

/** @param {string} [by] */
const byWhom = by => by ? ` by ${by}` : ''
/** @param {string} [cause] */
const because = cause => cause ? `, ${cause}` : ''
/** @type {Record<string, string>} */
const outcomes = { timedOut: 'timed out', roomClosed: 'ended: the room closed', seated: 'ended: seated', left: 'ended: left' }
/** @param {string} outcome */
const outcomeOf = outcome => outcomes[outcome] ?? outcome
/** @type {Record<string, string>} */
const departures = { kickedOut: 'was removed', timedOut: 'was lost', duplicateLogin: 'joined elsewhere', serverStopping: 'left: the server is stopping', roomClosed: 'left: the room closed' }
/** @param {number} index */
const seatAt = index => index >= 0 ? `seat ${index + 1}` : 'a seat'

export const en = {
  // Buttons and states that several parts show.
  common: {
    close: 'Close',
    cancel: 'Cancel',
    copied: 'Copied',
    save: 'Save',
    dismiss: 'Dismiss',
    justNow: 'just now',
    /** @param {string} span */
    ago: span => `${span} ago`,
    units: { s: 's', min: 'min', h: 'h', d: 'd' },
    unreachable: 'The server does not answer. The console retries automatically.',
    /** @param {number} status */
    answered: status => `The server answered ${status}.`,
    connectionLost: 'The connection to the server was lost.',
  },
  // What the server reports to its operators.
  alarms: {
    title: 'Alarms',
    /** @param {number} count */
    count: count => count === 1 ? '1 alarm' : `${count} alarms`,
    /** @param {number} count */
    more: count => `${count} more are not listed.`,
    /** @param {number} count */
    cleared: count => `Cleared in the last hour: ${count}`,
    warning: 'Warning',
    critical: 'Critical',
    isCleared: 'Cleared',
    /** @param {string} span */
    lasts: span => `for ${span}`,
    /** @param {string} span */
    lasted: span => `lasted ${span}`,
    kinds: {
      jobFailing: 'Live not connected',
      mixTooSlow: 'Mixes too slow',
      workerBusy: 'Media worker busy',
      machineBusy: 'Machine busy',
      memoryFull: 'Memory nearly full',
      recordingDiskFull: 'Recording disk nearly full',
      webhookFailing: 'Webhook fails',
      storeFailing: 'Store fails',
      certificateExpiring: 'Certificate expires',
    },
  },
  // The frame around the views, and signing in.
  shell: {
    rooms: 'Rooms',
    room: 'Room',
    overview: 'Overview',
    live: 'Live',
    recordings: 'Recordings',
    history: 'History',
    server: 'Server',
    /** @param {string} host */
    moved: host => `The server was drained. You are connected to ${host} now.`,
    sections: 'Sections',
    skip: 'Skip to the content',
    themeAuto: 'Theme: as the system',
    themeLight: 'Theme: light',
    themeDark: 'Theme: dark',
    signOut: 'Sign out',
    /** @param {string} host */
    at: host => `At ${host}`,
    /** @param {string} room */
    inRoom: room => `In ${room}`,
    /** @param {string} span */
    expiresIn: span => `expires in ${span}`,
    tokenOver: 'token expired',
    /** @param {string} span */
    tokenEnds: span => `Your token expires in ${span}. A running live continues; enter a new token to stay signed in.`,
    /** @param {boolean} inCall @param {boolean} isApi */
    tokenIsOver: (inCall, isApi) => `Your token has expired.${inCall ? ' You stay in the room, and a live continues.' : ''} Enter a new one to ${isApi ? 'manage the server' : 'join again'}.`,
    enterToken: 'Enter a new token',
    newToken: 'New token',
    newApiToken: 'The page continues where it is. Mint an API token with: roomserver token --api --ttl 8h',
    /** @param {string} user @param {string} room */
    newRoomToken: (user, room) => `A room token for ${user} in ${room}.`,
    useToken: 'Use it',
    wrongToken: 'This token is for something else. Sign out to use it.',
    signIn: 'Sign in',
    signInTitle: 'Sign in to roomserver',
    signInText: 'Rooms, their media, and the server.',
    token: 'Token',
    tokenHint: 'An API token opens the whole server, a room token its one room. It stays in the tabs of this browser, and is not stored on disk.',
    mint: 'Mint an API token on a machine with the server’s key and secret:',
    devLink: 'With --dev the server prints a link that signs in.',
    noToken: 'This is not a token: a token has three parts with dots between them.',
    brokenToken: 'This token can’t be read. Copy it whole, from its first letter to its last.',
    expiredToken: 'This token has expired. Mint a new one.',
    otherToken: 'This is neither an API token nor a room token.',
  },
  // The cards of a room: people, tracks, jobs, attributes, settings.
  films: {
    title: 'Films and streams',
    play: 'Play a URL',
    hint: 'A file or a live stream that everybody in the room sees and hears: MP4, WebM, HLS, RTMP, SRT, RTSP.',
    loop: 'Loop',
    begun: 'The source is being opened',
    opening: 'opening…',
    pause: 'Pause',
    resume: 'Resume',
    /** @param {string} name */
    stop: name => `Stop ${name}`,
    /** @param {string} name */
    position: name => `Position of ${name}`,
    /** @param {string} name */
    volume: name => `Volume of ${name}`,
    /** @param {string} name @param {string} reason */
    failed: (name, reason) => `${name} can’t play: ${reason}`,
  },
  room: {
    above: 'Above this room',
    deleteRoom: 'Delete room',
    /** @param {string} room */
    deleteTitle: room => `Delete ${room}?`,
    deleteText: 'All participants are removed, and their media ends.',
    notOpen: 'This room is not open',
    notOpenHint: 'It was closed, or does not exist yet.',
    allRooms: 'All rooms',
    create: 'Create it',
    /** @param {number} people @param {number} tracks */
    facts: (people, tracks) => `${people === 1 ? '1 participant' : `${people} participants`} · ${tracks === 1 ? '1 track' : `${tracks} tracks`}`,
    /** @param {number} viewers @param {Array<{ node: string, viewers: number }>} nodes */
    audience: (viewers, nodes) => `${viewers === 1 ? '1 viewer' : `${viewers} viewers`}${nodes.length ? ` (${nodes.map(each => `${each.node}: ${each.viewers}`).join(', ')})` : ''}`,
    /** @param {string} ago */
    created: ago => `created ${ago}`,
    joinToSee: 'Join to see who is here.',
    // People.
    participants: 'Participants',
    noParticipants: 'No participants.',
    /** @param {string} what */
    remove: what => `Remove ${what}`,
    /** @param {string} what */
    removeTitle: what => `Remove ${what}?`,
    removeText: 'They are removed from the room at once, and need a new token to rejoin.',
    removeButton: 'Remove',
    /** @param {string} user */
    removed: user => `${user} was removed.`,
    /** @param {string} at */
    joined: at => `Joined ${at}`,
    you: 'You',
    hidden: 'Hidden',
    reconnecting: 'Reconnecting',
    mixName: 'Mix',
    noMedia: 'No media',
    fromOtherRoom: 'Sends from another room',
    /** @param {string} time */
    queue: time => `${time} queue`,
    /** @param {string} part @param {string} all */
    share: (part, all) => `${part} of ${all}`,
    // Tracks and jobs.
    tracks: 'Tracks',
    noTracks: 'Nothing is published. Tracks appear here when a participant sends audio or video.',
    columns: {
      track: 'Track', format: 'Format', bitrate: 'Bitrate', frames: 'Frames', loss: 'Loss', jitter: 'Jitter', rtt: 'Round trip', receivers: 'Receivers',
      job: 'Job', state: 'State', queue: 'Queue', dropped: 'Dropped', connections: 'Connections',
    },
    names: { camera: 'Camera', microphone: 'Microphone', screen: 'Screen', video: 'Video', audio: 'Audio' },
    /** @param {string} user @param {string} what */
    bitrateOf: (user, what) => `Bitrate of ${user}’s ${what.toLowerCase()} over the last minute`,
    /** @param {string} user */
    loudnessOf: user => `Loudness of ${user}`,
    muted: 'Muted',
    /** @param {string} user @param {string} what */
    mute: (user, what) => `Mute ${user}’s ${what.toLowerCase()}`,
    /** @param {string} user @param {string} what */
    unmute: (user, what) => `Unmute ${user}’s ${what.toLowerCase()}`,
    /** @param {string} user @param {string} what */
    muteOf: (user, what) => `Mute of ${user}’s ${what.toLowerCase()}`,
    jobs: 'Jobs',
    goingLive: 'Going live',
    noJobs: 'No jobs. Go live to send a participant’s camera and sound to a publish URL.',
    watchWHEP: 'Watch by WHEP',
    mix: 'Mix',
    /** @param {string} user */
    intoRoom: user => `into the room as ${user}`,
    /** @param {string} job */
    bitrateOfJob: job => `Bitrate of ${job} over the last minute`,
    /** @param {string} user */
    by: user => ` by ${user}`,
    /** @param {string} stream */
    watch: stream => `Watch ${stream}`,
    /** @param {string} job */
    stop: job => `Stop ${job}`,
    /** @param {string} job */
    stopTitle: job => `Stop ${job}?`,
    stopText: 'It stops sending at once, and the stream ends for its viewers.',
    stopButton: 'Stop',
    states: {
      unknown: 'Waiting', connecting: 'Connecting', connected: 'Live', autoReconnecting: 'Reconnecting', disconnecting: 'Stopping', disconnected: 'Stopped', error: 'Failed',
    },
    waitingForKeyFrame: 'Waiting for a key frame',
    /** @param {string} names */
    without: names => `Without ${names}`,
    whose: 'Whose camera and microphone',
    goLiveHint: 'Camera and microphone go to an address of RTMP or SRT: a CDN, or this server’s own origin.',
    nobodyPublishes: 'No participant is publishing yet.',
    urlHint: 'The host “origin” is this server. Leave it empty if the room has its own URL.',
    /** @param {string} user */
    isLive: user => `The live stream of ${user} begins.`,
    sizes: ['Landscape, 1280 × 720', 'Portrait, 720 × 1280', 'Small, 640 × 360'],
    toURL: 'A publish URL',
    toRoom: 'This room, as a participant',
    mixParticipant: 'Name of the participant',
    mixParticipantHint: 'Participants in the mix receive it without their own sound.',
    /** @param {number} count @param {string} names */
    mixHint: (count, names) => `${count === 1 ? '1 publisher' : `${count} publishers`} in one video and audio mix: ${names}.`,
    picture: 'Picture',
    destination: 'Destination',
    mixIsLive: 'The mix is live.',
    // Attributes.
    attributes: 'Attributes',
    set: 'Set',
    setAttribute: 'Set an attribute',
    /** @param {string} key */
    change: key => `Change ${key}`,
    allReceive: 'All participants receive it, now or when they join.',
    key: 'Key',
    value: 'Value',
    removeAttribute: 'It is deleted for all participants.',
    // Settings.
    settingsTitle: 'Settings',
    /** @param {string} room */
    settingsOf: room => `Settings of ${room}`,
    settingsHint: 'The audience setting applies at once, the others to later joins and requests.',
    audiences: { mixed: 'Video: one mix of all seats', voice: 'Voice room: one mix of sound', separate: 'Every participant’s tracks' },
    settings: {
      maxParticipants: 'Maximum participants', emptyTimeout: 'Seconds until an empty room closes', graceTime: 'Seconds that a lost participant stays in the room',
      requestTimeout: 'Seconds until requests for seats expire',
    },
    presentStay: 'Present participants stay.',
    whoHosts: 'Who gets the host’s seat',
    firstHost: 'The first participant who joins as host',
    noHost: 'No one automatically',
    settingsSaved: 'The settings were saved.',
    stageStyle: 'Stage style',
  },
  // The list of recordings and their player.
  recordings: {
    // The button and the mark of a room.
    record: 'Record',
    recordHint: 'Record the stage into a file of the server',
    stop: 'Stop recording',
    /** @param {string} file */
    intoFile: file => `Recording into ${file}`,
    recording: 'Recording',
    tracks: 'each track into a file',
    nothingToRecord: 'Nobody sends a picture or sound yet.',
    /** @param {string} file */
    begun: file => `The recording ${file} begins.`,
    /** @param {string} file */
    kept: file => `${file} is under Recordings.`,
    /** @param {string} file */
    ended: file => `The recording ${file} has ended.`,
    notStarted: 'The recording did not start',
    notStopped: 'The recording was not stopped',
    // Recording is not configured.
    offTitle: 'Recording is not configured',
    off: 'This server records nothing. Start it with a directory for recordings:',
    offCommand: 'roomserver serve --recordings DIRECTORY',
    // The list.
    file: 'File',
    started: 'Started',
    length: 'Duration',
    size: 'Size',
    states: { writing: 'Recording', ready: 'Ready', failed: 'Cut short' },
    pages: 'Pages',
    newer: 'Newer',
    older: 'Older',
    /** @param {number} count @param {number} page @param {boolean} more */
    facts: (count, page, more) => page === 1 && !more ? (count === 1 ? '1 file' : `${count} files`) : `Page ${page}, ${count} files`,
    none: 'No recordings yet',
    /** @param {string} room */
    noneOf: room => `No recordings of ${room}`,
    noneHint: 'Open a room in which somebody is live, and press Record. The file appears here at once, and plays while it grows.',
    /** @param {string} file */
    play: file => `Play ${file}`,
    /** @param {string} file */
    pictureOf: file => `Recording ${file}`,
    unplayable: 'This browser can’t play the file. Download it, and open it with a player such as VLC.',
    /** @param {string} file */
    download: file => `Download ${file}`,
    /** @param {string} file */
    delete: file => `Delete ${file}`,
    stopFirst: 'It is being recorded. Stop the recording first.',
    /** @param {string} file */
    deleteTitle: file => `Delete ${file}?`,
    deleteText: 'The file is removed from the server’s disk. This cannot be undone.',
    deleteButton: 'Delete recording',
    /** @param {string} file */
    deleted: file => `${file} was deleted.`,
  },
  // The player and the watch page.
  watch: {
    share: 'Share',
    shareHint: 'Anybody with the link can watch.',
    sharePrivate: 'The room is not public. This link lets anybody watch for a day.',
    makePublic: 'Anybody may watch',
    showChat: 'Show the chat to viewers',
    page: 'Watch page',
    embed: 'Embed in a page',
    code: 'QR code of the watch page',
    openPage: 'Open the watch page',
    /** @param {string} time */
    expires: time => `These URLs are signed, and valid until ${time}.`,
    /** @param {string} name */
    copyOf: name => `Copy: ${name}`,
  },
  // What happened on the server.
  history: {
    lives: 'Lives',
    sessions: 'Sessions',
    events: 'Events',
    filters: 'Filters',
    user: 'User',
    kind: 'Kind',
    allKinds: 'All kinds',
    from: 'From',
    to: 'To',
    refresh: 'Refresh',
    none: 'Nothing matches.',
    running: 'live now',
    present: 'in the room',
    api: 'the API',
    /** @param {string} user */
    by: user => `by ${user}`,
    /** @param {number} viewers */
    peak: viewers => `at most ${viewers} ${viewers === 1 ? 'viewer' : 'viewers'}`,
    kinds: {
      serverStarted: 'Server started', serverStopped: 'Server stopped',
      drainStarted: 'Drain started', drainCancelled: 'Drain cancelled', drainEnded: 'Drain ended',
      joinRefused: 'Join refused',
      alarmRaised: 'Alarm raised', alarmCleared: 'Alarm cleared',
      roomCreated: 'Room created', roomRestored: 'Room restored', roomClosed: 'Room closed',
      participantJoined: 'Joined', participantLeft: 'Left', participantKicked: 'Kicked',
      jobStarted: 'Job started', jobOnAir: 'Job on air', jobConnected: 'Job connected', jobReconnecting: 'Job reconnecting',
      jobFailed: 'Job failed', jobEnded: 'Job ended',
      streamStarted: 'Stream started', streamEnded: 'Stream ended',
      pkBegan: 'PK started', pkEnded: 'PK ended',
      recordingReady: 'Recording ready', recordingFailed: 'Recording failed', recordingDeleted: 'Recording deleted',
    },
    reasons: {
      left: 'left', kickedOut: 'kicked out', timedOut: 'connection lost', duplicateLogin: 'joined elsewhere',
      roomClosed: 'room closed', serverStopping: 'server stopping', serverStopped: 'server stopped', serverCrashed: 'server crashed',
      stopped: 'stopped', takenOver: 'taken over', noTracks: 'no tracks', failed: 'failed',
    },
  },
  // Joining, going live, and the stage with its bar.
  stage: {
    stage: 'Stage',
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
    // Going live.
    goLive: 'Go live',
    goLiveHint: 'You are the host of the room, and your camera and sound are sent to viewers.',
    goLiveHere: 'Your camera and sound are sent from this room to viewers.',
    whatAudienceGets: 'What the audience receives',
    where: 'Where it is sent',
    publishURL: 'Publish URL',
    publishURLHint: 'The host “origin” is this server: viewers then watch it here. Empty: nothing is sent out.',
    wrongURL: 'A publish URL begins with rtmp:// or rtmps:// and names a server and a stream, such as rtmp://origin/live/party, or is srt://host:port?streamid=….',
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
    inviteTitle: 'Invite to a PK',
    inviteHint: 'The host of the other room has 30 seconds to answer. Both audiences then see both, side by side.',
    whoIsLive: 'Rooms with a host',
    nobodyLive: 'No other room has a host now.',
    typeRoom: 'Enter the name of a room with a host.',
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
    where: seatAt,
    someone: 'a participant',
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
  // What all lists have: search, filters, order, pages, and what is shown of a server that does not answer.
  lists: {
    search: 'Search',
    filter: 'Filter',
    order: 'Order',
    more: 'More',
    clear: 'Clear the search',
    noMatch: 'Nothing matches',
    noMatchHint: 'Try another part of a name, or another filter.',
    /** @param {string} shown @param {string} all */
    shown: (shown, all) => `${shown} of ${all}`,
    /** @param {string} time */
    asOf: time => `What you see below is as of ${time}.`,
    actions: 'Actions',
    people: (/** @type {number} */ value) => some(value, 'participant'),
    rooms: (/** @type {number} */ value) => some(value, 'room'),
    viewers: (/** @type {number} */ value) => some(value, 'viewer'),
    jobs: (/** @type {number} */ value) => some(value, 'job'),
    live: (/** @type {number} */ value) => `${value.toLocaleString('en')} live`,
  },
  // The state of a room, in lists and on tiles.
  state: {
    voice: 'Voice',
    empty: 'Empty',
    /** @param {string} span */
    liveFor: span => `Live for ${span}`,
    /** @param {string} room */
    pk: room => `PK with ${room}`,
    /** @param {number} count */
    seats: count => `${count} on seats`,
    /** @param {string} names */
    speaking: names => `Speaking: ${names}`,
    /** @param {string} names @param {number} count */
    andMore: (names, count) => `${names} and ${count} more`,
  },
  rooms: {
    searchHint: 'Room or user',
    filters: { all: 'All', live: 'Live', failing: 'Not on air', pk: 'PK', voice: 'Voice', empty: 'Empty' },
    orders: { live: 'Most active', name: 'Name', created: 'Newest', participants: 'Participants' },
    columns: { name: 'Room', state: 'State', people: 'In it', participants: 'Participants', viewers: 'Viewers', created: 'Created' },
    newRoom: 'New room',
    none: 'No rooms yet',
    noneHint: 'Go live, or create a room. A room also opens with its first participant if the server creates rooms on join.',
    newRoomText: 'It closes automatically after five minutes without participants.',
    name: 'Name',
    create: 'Create room',
    /** @param {string} room */
    delete: room => `Delete ${room}`,
    /** @param {string} room */
    deleted: room => `${room} was deleted.`,
  },
  lives: {
    searchHint: 'Stream or encoder',
    filters: { all: 'All', rooms: 'Rooms', encoders: 'Encoders', pk: 'PK', voice: 'Voice' },
    orders: { viewers: 'Most viewers', name: 'Name', since: 'Newest', kbps: 'Bitrate' },
    columns: { stream: 'Stream', format: 'Format', bitrate: 'Bitrate', viewers: 'Viewers', since: 'Since' },
    streams: 'Streams',
    none: 'Nothing is live',
    noneHint: 'Go live from a room, or publish with an encoder to',
    or: 'or',
    /** @param {number} value */
    count: value => some(value, 'stream'),
    publishers: { job: 'A room', rtmp: 'An encoder (RTMP)', srt: 'An encoder (SRT)', variant: 'Transcoded here', pull: 'Another node' },
    waiting: 'Waiting for its publisher',
    protocols: { rtmp: 'RTMP', flv: 'FLV', hls: 'HLS' },
    /** @param {string} path */
    bitrateOf: path => `Bitrate of ${path} over the last minute`,
    /** @param {string} path */
    watch: path => `Watch ${path}`,
    /** @param {string} path */
    end: path => `End ${path}`,
    /** @param {string} path */
    endTitle: path => `End ${path}?`,
    endText: 'Its publisher is disconnected, and the stream ends for its viewers. It may be published again.',
    endButton: 'End stream',
  },
  overview: {
    noJobs: 'No jobs.',
    broadcasts: 'Broadcasts',
    noBroadcasts: 'Nothing is live at this origin.',
    noEvents: 'Nothing happened so far.',
    /** @param {number} count */
    allRooms: count => `All ${count.toLocaleString('en')} rooms`,
    noRoomsHint: 'Go live, or create a room, to see its picture here.',
    inRoom: ' in ',
    kinds: { forward: 'forward', merge: 'mix' },
    /** @param {string} target */
    to: target => `to ${target}`,
  },
  server: {
    range: 'Time shown',
    minutes: (/** @type {number} */ value) => `${value} min`,
    hour: '1 h',
    processor: 'Processor',
    memory: 'Memory',
    packets: 'Packets',
    traffic: 'Traffic',
    participants: 'Participants',
    dropped: 'Dropped packets',
    sent: 'Sent',
    received: 'Received',
    joins: 'Joins',
    out: 'out',
    in: 'in',
    nothingYet: 'nothing yet',
    byReason: 'Dropped, by reason',
    noDrops: 'No packet was dropped so far.',
    /** @type {Record<string, string>} */
    drops: {}, // the reason's name in words
    /** @param {string} up @param {number} workers @param {number} cores @param {number} files */
    facts: (up, workers, cores, files) => `Up for ${up} · ${some(workers, 'worker')} on ${some(cores, 'core')} · ${some(files, 'open file')}`,
    /** @param {string} share */
    ofAll: share => `of ${share}`,
    /** @param {string} size */
    inRings: size => `${size} in packet rings`,
    /** @param {number} rooms @param {number} tracks */
    inRooms: (rooms, tracks) => `in ${some(rooms, 'room')}, ${some(tracks, 'track')}`,
    /** @param {string} refused @param {string} resumed */
    joinFacts: (refused, resumed) => `${refused} refused, ${resumed} resumed`,
    workers: 'Media workers',
    columns: { port: 'Port', load: 'Processor', rooms: 'Rooms', transports: 'Transports', tracks: 'Tracks', subscriptions: 'Subscriptions', in: 'In', out: 'Out', dropped: 'Dropped' },
  },
  cluster: {
    cluster: 'Cluster',
    nodes: 'Nodes of the cluster',
    columns: { node: 'Node', address: 'Address', region: 'Region', headroom: 'Free', link: 'Link', rooms: 'Rooms', viewers: 'Viewers' },
    own: 'this node',
    none: 'drains or is full',
    /** @param {number} nodes @param {number} rooms @param {number} owned @param {number} orphans @param {string} trouble */
    facts: (nodes, rooms, owned, orphans, trouble) => `${some(nodes, 'node')} with ${some(rooms, 'room')}. This node owns ${owned >= 1000 ? '1,000 or more' : owned}.${
      orphans ? ` Rooms of dead nodes that wait for another one: ${orphans}.` : ''}${trouble && ` ${trouble}`}`,
    /** @param {number} served @param {number} rooms @param {number} clients */
    edges: (served, rooms, clients) => `${served ? ` Other nodes serve clients of its rooms as ${some(served, 'edge')}.` : ''}${
      rooms ? ` As an edge it serves ${some(clients, 'client')} of ${some(rooms, 'room')} of other nodes.` : ''}`,
    /** @param {string[]} nodes */
    unanswered: nodes => nodes.length ? ` No answer from ${nodes.join(', ')}: what is there is missing.` : '',
    link: { waiting: 'no answer yet', live: 'live', silent: 'silent', dead: 'dead' },
    /** @param {number} count */
    held: count => `${some(count, 'stream')} held back`,
    promised: 'Redis does not answer. This node keeps its rooms by promises of the others, for 30 seconds at most.',
    away: 'Redis does not answer.',
    waits: 'This node may not own rooms yet.',
  },

  drain: {
    drain: 'Drain',
    start: 'Drain…',
    change: 'Change…',
    cancel: 'Go on as before',
    idle: 'Accepts new clients. Drain the server before you stop it: open rooms continue, and no room is opened.',
    /** @param {string} time @param {{ rooms: number, participants: number, viewers: number, streams: number, moved: number }} rest @param {string} [redirect] */
    draining: (time, rest, redirect) => `This server is draining, and stops at ${time} at the latest. Remaining: ${[some(rest.rooms, 'room'), some(rest.participants, 'participant'), some(rest.viewers, 'viewer'), some(rest.streams, 'stream')].join(', ')}. ${rest.moved ? `Moved to other nodes: ${some(rest.moved, 'room')}. ` : ''}${
      redirect ? `New clients are redirected to ${redirect}.` : 'New clients are asked to try again.'}`,
    title: 'Drain this server',
    text: 'It opens no more rooms, and stops when no client is left.',
    minutes: 'Minutes',
    minutesHint: 'Remaining clients are disconnected then.',
    redirect: 'Server that takes over',
    redirectHint: 'Its signalling URL: clients reconnect there automatically. If empty, they reconnect here.',
  },
  // What the event log says of each event, by its name, with its data.
  /** @type {Record<string, (data: Data) => string>} */
  happened: {
    roomCreated: () => 'opened',
    roomRestored: ({ userIds }) => `restored after a restart, waiting for ${some(userIds.length, 'participant')}`,
    roomClosed: ({ by }) => `closed${byWhom(by)}`,
    participantJoined: ({ userId, grants }) => `${userId} ${grants.includes('hidden') ? 'joined hidden' : 'joined'}`,
    participantLeft: ({ userId, reason, by }) => `${userId} ${departures[reason] ?? 'left'}${byWhom(by)}`,
    participantKicked: ({ userId, by }) => `${userId} was kicked${byWhom(by)}`,
    trackPublished: ({ userId, track }) => `${userId} publishes ${track.tag || track.kind}`,
    trackUnpublished: ({ userId }) => `${userId} unpublished a track`,
    seatRequested: ({ userId, index }) => `${userId} requested ${seatAt(index)}`,
    seatRequestEnded: ({ userId, outcome, by }) => `request of ${userId} ${outcomeOf(outcome)}${byWhom(by)}`,
    seatInvited: ({ userId, index, by }) => `${userId} is invited to ${seatAt(index)}${byWhom(by)}`,
    seatInvitationEnded: ({ userId, outcome, by }) => `invitation of ${userId} ${outcomeOf(outcome)}${byWhom(by)}`,
    jobStarted: ({ jobId, target }) => `job ${jobId} started${target ? `, to ${target}` : ''}`,
    jobOnAir: ({ jobId }) => `job ${jobId} is on air`,
    jobConnected: ({ jobId }) => `job ${jobId} is connected`,
    jobReconnecting: ({ jobId, cause }) => `job ${jobId} reconnects${because(cause)}`,
    jobFailed: ({ jobId, cause }) => `job ${jobId} failed${because(cause)}`,
    jobEnded: ({ jobId, cause }) => `job ${jobId} ended${because(cause)}`,
    pkInvited: ({ from, to }) => `PK: ${from.room} invites ${to.room}`,
    pkInvitationEnded: ({ outcome, by }) => `PK invitation ${outcomeOf(outcome)}${byWhom(by)}`,
    pkBegan: ({ userId, room }) => `PK with ${userId} of ${room}`,
    pkOnAir: ({ jobId }) => `the PK is on air in job ${jobId}`,
    pkChanged: ({ score, peerScore }) => `PK ${score} : ${peerScore}`,
    pkEnded: ({ score, peerScore, by }) => `PK ended, ${score} : ${peerScore}${byWhom(by)}`,
    recordingReady: ({ name, size }) => `${name} is ready, ${size}`,
    recordingFailed: ({ name, cause }) => `${name} was cut${because(cause)}`,
    recordingDeleted: ({ name }) => `${name} was deleted`,
    recordingFinished: ({ name, size, cause }) => `recorded ${name}, ${size}${because(cause)}`,
    // `locked` and `muted` are there if they changed.
    seatSwitched: ({ index, locked, muted, by }) => {
      const changes = [locked !== undefined && (locked ? 'locked' : 'unlocked'), muted !== undefined && (muted ? 'muted' : 'unmuted')].filter(Boolean)
      return `${seatAt(index)} ${changes.join(' and ') || 'changed'}${byWhom(by)}`
    },
    seatTaken: ({ userId, index }) => `${userId} took ${seatAt(index)}`,
    seatLeft: ({ userId, index }) => `${userId} left ${seatAt(index)}`,
    seatRemoved: ({ userId, index, by }) => `${userId} was removed from ${seatAt(index)}${byWhom(by)}`,
  },
  // The form for a stage's style. Positions are pixels of the canvas.
  style: {
    title: 'Style of the stage',
    hint: 'Broadcasts, recordings and the audience show it at once. Positions are pixels of the canvas.',
    /** @param {string} what */
    now: what => `In force: ${what}`,
    changed: 'The style was changed by somebody else while this form was open.',
    load: 'Load it',
    loaded: 'Somebody else changed the style. The form shows the new one.',
    applied: 'The stage has this style now.',
    canvas: 'Canvas',
    auto: 'By the camera: landscape or portrait',
    shapes: { '1280x720': 'Landscape, 1280x720', '720x1280': 'Portrait, 720x1280', '960x960': 'Square, 960x960', '640x360': 'Small, 640x360' },
    cornerRadius: 'Rounded corners, % of a frame’s shorter side',
    background: 'Background',
    backgrounds: { none: 'Black', colour: 'Colour', image: 'Image' },
    colour: 'Colour',
    pickColour: 'Pick a colour',
    backgroundImage: 'Image of the background',
    watermark: 'Watermark',
    watermarkImage: 'Image; empty for none',
    x: 'From the left',
    y: 'From the top',
    width: 'Width; empty for its own',
    opacity: 'Opacity in %',
    texts: 'Texts',
    text: 'Text',
    size: 'Size',
    clock: 'Clock (UTC)',
    addText: 'Add a text',
    show: 'Show',
    names: 'Names of the users',
    scores: 'Scores of a PK',
    upload: 'Upload an image',
    uploadHint: 'PNG or JPEG, at most 2 MB and 1920x1920 pixels.',
    /** @param {string} name */
    uploaded: name => `${name} can be chosen now.`,
    reset: 'Reset',
    apply: 'Apply',
    // Hints.
    /** @param {number} least @param {number} most */
    between: (least, most) => `A whole number from ${least} to ${most}.`,
    colourRule: 'A colour as #RRGGBB, such as #2255cc.',
    textLength: '1 to 64 characters.',
    imageName: 'The name of one of the room’s images.',
    /** @param {string[]} names */
    noImage: names => names.length ? `The room has no such image, only ${names.join(', ')}.` : 'The room has no image yet. Upload one below.',
    summary: { black: 'black', image: 'image', watermark: 'watermark', names: 'names', scores: 'scores', clock: 'clock', rounded: 'rounded corners' },
    /** @param {number} count */
    countTexts: count => count === 1 ? '1 text' : `${count} texts`,
  },
}
