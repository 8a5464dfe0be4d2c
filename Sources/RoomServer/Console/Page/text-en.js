// All texts in English, by the part of the page that shows them. `text-zh.js` has the same members, which the type check proves.
import { roomsEn } from './text-rooms-en.js'
import { serverEn } from './text-server-en.js'
import { stageEn } from './text-stage-en.js'

export const en = {
  ...stageEn, // stage, pk, seats, chat
  ...roomsEn, // lists, state, rooms, lives, overview
  ...serverEn, // server, drain, happened
  // Buttons and states that several parts show.
  common: {
    close: 'Close',
    cancel: 'Cancel',
    copy: 'Copy',
    copied: 'Copied',
    save: 'Save',
    dismiss: 'Dismiss',
    noScript: 'This console needs JavaScript.',
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
    audienceMix: 'What the audience receives',
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
    actions: 'Actions',
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
    goLiveHint: 'Camera and microphone go to an RTMP address: a CDN, or this server’s own origin.',
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
    ofRoom: 'Room',
    everyRoom: 'All rooms',
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
    player: 'Player',
    connecting: 'Connecting…',
    reconnecting: 'Reconnecting…',
    offline: 'Not live',
    offlineHint: 'This page starts by itself when it goes live.',
    unplayable: 'This browser can’t play the stream.',
    unplayableHint: 'Open it in another browser, or in a player such as VLC.',
    refused: 'This room is not public',
    refusedHint: 'Ask its host for a link. If you have one, it may have expired.',
    lost: 'No connection to the server. Trying again…',
    live: 'Live',
    sound: 'Tap for sound',
    play: 'Play',
    pause: 'Pause',
    mute: 'Mute',
    unmute: 'Unmute',
    volume: 'Volume',
    quality: 'Quality',
    original: 'Original',
    auto: 'Auto',
    inset: 'Picture in picture',
    full: 'Full screen',
    chat: 'Chat',
    noMessages: 'No messages yet',
    /** @param {string} seconds */
    behind: seconds => `${seconds} s behind`,
    /** @param {number} count */
    viewers: count => count === 1 ? '1 viewer' : `${count} viewers`,
    /** @param {string} type @param {number} count */
    gift: (type, count) => count > 1 ? `sent ${count} × ${type}` : `sent ${type}`,
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
    title: 'History',
    lives: 'Lives',
    sessions: 'Sessions',
    events: 'Events',
    filters: 'Filters',
    room: 'Room',
    user: 'User',
    kind: 'Kind',
    allKinds: 'All kinds',
    from: 'From',
    to: 'To',
    older: 'Older',
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
}
