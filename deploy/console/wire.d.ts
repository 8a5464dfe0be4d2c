// Made from api/openapi.yaml by wire-types.py; do not edit.
declare namespace Wire {
  type NewPlayer = { userId?: Name; url?: string; upload?: string; name?: string | null; position?: number | null; volume?: number | null; loop?: boolean | null; paused?: boolean | null }
  type PlayerChange = { paused?: boolean | null; position?: number | null; volume?: number | null; loop?: boolean | null }
  type PlayerList = { players: Array<Player> }
  type Player = { userId: string; url?: string; upload?: string; state: string; position: number; at: number; duration?: number; seekable?: boolean; volume: number; loop: boolean; by?: string }
  type RoomState = { name: Name; createdAt: number; seq: number; layout: Layout; seats: Array<Seat>; requests: Array<SeatRequest>; invitations: Array<SeatInvitation>; attributes: Attributes; messages: Array<RoomMessage>; pk?: PKInfo; pkInvitations: Array<PKInvitation>; pkMatching?: PKTicket; jobs: Array<Job>; players?: Array<Player>; play?: PlayURLs }
  type Seat = { index: number; userId?: string; locked: boolean; muted: boolean; video: boolean; audio: boolean }
  type LayoutType = 'oneToOne' | 'oneToSix' | 'gridTwo' | 'gridThree' | 'gridFour' | 'gridSeven' | 'gridNine' | 'custom'
  type Canvas = { width: number; height: number }
  type Frame = { x: number; y: number; width: number; height: number; zIndex?: number; cornerRadius?: number }
  type Layout = { type: LayoutType; canvas: Canvas; frames: Array<Frame> }
  type SeatRequest = { userId: string; index: number; at: number; expiresAt: number }
  type SeatInvitation = { userId: string; index: number; by: string; at: number; expiresAt: number }
  type Attributes = { [key: string]: string }
  type MessageKind = 'text' | 'like' | 'gift' | 'barrage' | 'custom'
  type RoomMessage = { seq: number; userId: string; kind: MessageKind; text?: string; type?: string; data?: string; count?: number; to?: string; at: number }
  type PKMode = 'bridge' | 'move'
  type PKSide = { room: string; userId: string }
  type PKInvitation = { pkId: string; from: PKSide; to: PKSide; way: PKMode; by: string; at: number; expiresAt: number; duration?: number; terms?: { pkId: string; team?: number; rules?: PKRules; rooms: Array<string> } }
  type PKRules = { punishment?: number | null; overtime?: number | null; rooms?: number | null; gifts?: { [key: string]: number } | null; sameOrder?: boolean | null }
  type PKMember = { room: string; userId: string; team?: number; invitedBy?: string; score: number; connected: boolean; muted: boolean; mutedForAll: boolean }
  type PKResult = { scores: Array<{ room: string; score: number; team?: number }>; winners: Array<string>; tie: boolean }
  type PKInfo = { pkId: string; way: PKMode; room: string; userId: string; host: string; inviter: boolean; startedAt: number; endsAt?: number; score: number; peerScore: number; peerMuted: boolean; mutedByPeer: boolean; connected: boolean; peerConnected: boolean; members?: Array<PKMember>; rules?: PKRules; result?: PKResult }
  type Empty = {}
  type NoParams = {}
  type UserParams = { userId: string }
  type SeatSwitches = { index: number; locked?: boolean | null; muted?: boolean | null; video?: boolean | null; audio?: boolean | null }
  type LayoutParams = { type: LayoutType; canvas?: Canvas | null; frames?: Array<Frame> | null }
  type SeatInviteParams = { userId: string; index?: number | null }
  type SeatResult = { index: number }
  type SeatRequestList = { requests: Array<SeatRequest> }
  type PKInviteParams = { room: string; userId?: string | null; way?: PKMode | null; duration?: number | null; others?: Array<PKInvitee> | null; pkId?: string | null; team?: number | null; ownTeam?: number | null; rules?: PKRules | null }
  type PKInvitee = { room: string; userId?: string | null; team?: number | null }
  type PKRemoveParams = { room: string }
  type PKInviteResult = { pkId: string; expiresAt: number }
  type PKMatchParams = { way?: PKMode | null; duration?: number | null; tags?: Array<string> | null; level?: number | null; levels?: Array<number> | null; wait?: number | null }
  type PKMatchResult = { ticket: string; expiresAt: number }
  type PKTicket = { ticket: string; userId: string; way: PKMode; duration?: number; tags: Array<string>; level?: number; levels?: Array<number>; by: string; at: number; expiresAt: number }
  type PKParams = { pkId: string }
  type PKRejectParams = { pkId: string; reason?: string | null }
  type PKMuteParams = { muted: boolean; room?: string | null; forAll?: boolean | null }
  type PKExtendParams = { seconds: number }
  type PKGiftParams = { giftId: string; gift?: string | null; count?: number | null; points?: number | null }
  type PKGiftResult = { score: number; counted: boolean }
  type PKScoreParams = { score: number }
  type MessageParams = { kind: MessageKind; text?: string | null; type?: string | null; data?: string | null; count?: number | null; to?: string | null }
  type MessageResult = { seq: number; at: number }
  type NewAttributes = { [key: string]: string }
  type AttributeParams = { set?: NewAttributes | null; remove?: Array<string> | null }
  type WebClient = { version: string; modules: Array<{ path: string; integrity: string }> }
  type Health = { status: 'ok' }
  type ParticipantList = { participants: Array<Participant> }
  type MuteParams = { muted: boolean }
  type JobList = { jobs: Array<JobDetail> }
  type NewLayouts = { layouts: TrackLayouts }
  type ImageList = { images: Array<Image> }
  type StreamList = { streams: Array<Stream>; next?: string; unanswered?: Unanswered }
  type DrainOrder = { seconds?: number | null; redirect?: string | null }
  type ServerHistory = { interval: number; samples: Array<ServerSample> }
  type AlarmList = { active: Array<Alarm>; unlisted: number; unanswered?: Unanswered; cleared: Array<Alarm> }
  type Alarm = { node?: string; kind: 'jobFailing' | 'mixTooSlow' | 'workerBusy' | 'machineBusy' | 'memoryFull' | 'recordingDiskFull' | 'webhookFailing' | 'storeFailing' | 'certificateExpiring'; severity: 'warning' | 'critical'; since: number; clearedAt?: number; room?: string; job?: string; name?: string; message: string }
  type EventList = { events: Array<RoomEvent>; last?: number }
  type HistoryKind = 'serverStarted' | 'serverStopped' | 'drainStarted' | 'drainCancelled' | 'drainEnded' | 'joinRefused' | 'alarmRaised' | 'alarmCleared' | 'roomCreated' | 'roomRestored' | 'roomClosed' | 'participantJoined' | 'participantLeft' | 'participantKicked' | 'jobStarted' | 'jobOnAir' | 'jobConnected' | 'jobReconnecting' | 'jobFailed' | 'jobEnded' | 'streamStarted' | 'streamEnded' | 'pkBegan' | 'pkEnded' | 'recordingReady' | 'recordingFailed' | 'recordingDeleted'
  type HistoryEvent = { id: number; node?: string; time: number; kind: HistoryKind; room?: string; user?: string; by?: string; job?: string; reason?: string; detail?: string }
  type HistoryEvents = { events: Array<HistoryEvent>; next?: HistoryNext; unanswered?: Unanswered }
  type HistorySession = { id: number; node?: string; room: string; user: string; joinedAt: number; leftAt?: number; reason?: string; by?: string }
  type HistorySessions = { sessions: Array<HistorySession>; next?: HistoryNext; unanswered?: Unanswered }
  type HistoryLive = { id: number; node?: string; room?: string; job?: string; stream?: string; target?: string; user?: string; startedAt: number; endedAt?: number; duration?: number; reason?: string; detail?: string; peakViewers?: number }
  type HistoryLives = { lives: Array<HistoryLive>; next?: HistoryNext; unanswered?: Unanswered }
  type HistoryNext = string
  type Replay = { room: Name; from: number }
  type Replayed = { events: number }
  type MintedToken = { token: string; expiresAt: number }
  type RoomEvent = { id: string; sequence: number; room: string; roomSession: string; event: string; time: number; data: {} }
  type Name = string
  type Error = { code: number; name: string; message: string; redirect?: string }
  type Ready = { status: 'ready' | 'draining' }
  type Cluster = { enabled: boolean; ready: boolean; store: boolean; promised: boolean; authority?: number; nodes: Array<{ node: string; incarnation: string; address: string; region: string; headroom: number; rooms: number; isSelf: boolean; link?: { state: 'waiting' | 'live' | 'silent' | 'dead'; roundTrip?: number; bitrate: number; loss: number; limit?: number; waiting: number; held: number } }>; leases: Array<{ room: string; fence: number }>; orphans: number; edges: { served: number; rooms: number; clients: number } }
  type NodeList = { nodes: Array<{ node: string; region: string; address: string; headroom: number; rooms: number; isSelf: boolean; participants: number; viewers: number }>; unanswered: Unanswered }
  type Unanswered = Array<string>
  type Drain = { draining: boolean; startedAt?: number; deadline?: number; redirect?: string; rooms: number; participants: number; viewers: number; moved: number; streams: number }
  type NewForward = { jobId: string; publishUrl?: string | null; userId?: string | null; audioTrackId?: string | null; videoTrackId?: string | null; kinds?: Array<'audio' | 'video'> | null; follow?: 'anchor' | 'stage' | null; record?: string | null; tracks?: 'separate' | null; tag?: string | null }
  type NewMerge = { jobId: string; publishUrl?: string | null; publishAs?: Name | null; width?: number | null; height?: number | null; fps?: number | null; videoKbps?: number | null; minKbps?: number | null; gop?: number | null; preset?: EncoderPreset | null; audioKbps?: number | null; background?: MergeBackground | null; watermarks?: Array<Watermark> | null; texts?: Array<MergeText> | null; layouts: TrackLayouts; record?: string | null }
  type MergeBackground = { colour?: Colour; image?: ImageName | null }
  type Watermark = { image: ImageName; x: Place; y: Place; width?: number | null; height?: number | null; opacity?: number | null }
  type MergeText = { text?: string | null; clock?: boolean | null; until?: number | null; x: Place; y: Place; size?: number | null; colour?: Colour }
  type TrackLayouts = Array<TrackLayout>
  type TrackLayout = { trackId?: string | null; userId?: Name | null; x?: number | null; y?: number | null; width?: number | null; height?: number | null; zIndex?: number | null; fillMode?: FillMode | null; cornerRadius?: number | null; gain?: number | null; placeholder?: string | null }
  type FillMode = 'fill' | 'fit' | 'stretch'
  type Place = number
  type Colour = string | null
  type ImageName = string
  type Image = { name: ImageName; width: number; height: number; bytes: number }
  type Job = { jobId: string; kind: 'forward' | 'merge'; state: 'unknown' | 'connecting' | 'connected' | 'disconnecting' | 'disconnected' | 'autoReconnecting' | 'error'; target?: string; stream?: string; record?: string; by?: string; startedAt?: number; onAir?: boolean; failure?: JobFailure; missing?: Array<string>; publishAs?: string; follow?: 'anchor' | 'stage'; tracks?: 'separate' }
  type JobFailure = { cause: 'dns' | 'forbidden' | 'refused' | 'tls' | 'handshake' | 'rejected' | 'timeout' | 'broken' | 'stalled' | 'file'; message: string }
  type UploadID = string
  type UploadList = { uploads: Array<Upload> }
  type StoredUpload = { upload: Upload }
  type Upload = { id: UploadID; name: string; bytes: number; createdAt: number }
  type RecordingName = string
  type RecordingList = { recordings: Array<Recording>; next?: string; unanswered?: Unanswered }
  type Recording = { name: string; node?: string; room?: string; job?: string; track?: RecordedTrack; state: RecordingState; startedAt: number; endedAt?: number; bytes: number; duration?: number; video?: RecordedVideo; audio?: RecordedAudio; failure?: RecordingFailure }
  type RecordedTrack = { userId: string; tag?: string; kind: 'audio' | 'video'; codec: 'h264' | 'vp8' | 'vp9' | 'opus'; startedAt: number }
  type RecordingState = 'writing' | 'ready' | 'failed'
  type RecordedVideo = { codec: string; width?: number; height?: number }
  type RecordedAudio = { codec: string }
  type RecordingFailure = { cause: 'full' | 'limit' | 'write' | 'media' | 'exists' | 'directory' | 'interrupted'; message: string }
  type NewRecordingURL = { ttl?: number | null }
  type RecordingURL = { url: string; expiresAt: number }
  type StreamName = string
  type Stream = { path: string; node?: string; publisher?: 'job' | 'rtmp' | 'srt' | 'variant' | 'pull'; address?: string; since?: number; viewers: { [key: string]: number }; kbps: number; notInHLS?: Array<string>; video?: { codec: string; width?: number; height?: number }; audio?: { codec: string; sampleRate?: number; channels?: number } }
  type JobDetail = { job: Job; status?: { jobId: string; state: string; fps: number; kbps: number; queue: number; dropped: number; connections: number; delay?: number } }
  type NewRoom = { name: Name; emptyTimeout?: number | null; maxParticipants?: number | null; graceTime?: number | null; requestTimeout?: number | null; push?: PushPolicy | null; audience?: Audience | null; seatsHost?: boolean | null; stage?: StagePicture | null; pk?: PKPicture | null; watch?: WatchPolicy | null; pkApart?: Array<string> | null }
  type RoomChanges = { emptyTimeout?: number | null; maxParticipants?: number | null; graceTime?: number | null; requestTimeout?: number | null; push?: PushPolicy | null; audience?: Audience | null; seatsHost?: boolean | null; stage?: StagePicture | null; pk?: PKPicture | null; watch?: WatchPolicy | null; pkApart?: Array<string> | null }
  type RoomSettings = { emptyTimeout: number; maxParticipants: number; graceTime: number; requestTimeout: number; push: PushPolicy; audience: Audience; seatsHost: boolean; watch: WatchPolicy; stage: StagePicture; pk?: PKPicture; pkApart?: Array<string> }
  type Audience = 'separate' | 'mixed' | 'voice'
  type EncoderPreset = 'ultrafast' | 'superfast' | 'veryfast' | 'faster' | 'fast' | 'medium'
  type StagePicture = { width?: CanvasSide | null; height?: CanvasSide | null; fps?: number | null; videoKbps?: number | null; preset?: EncoderPreset | null; background?: MergeBackground | null; watermarks?: Array<Watermark> | null; texts?: Array<MergeText> | null; cornerRadius?: number | null; names?: boolean | null; scores?: boolean | null }
  type PKPicture = { width: CanvasSide; height: CanvasSide; fps: number; videoKbps: number; preset: EncoderPreset; own: PixelFrame; peer: PixelFrame; background?: MergeBackground | null }
  type CanvasSide = number
  type PixelFrame = { x: number; y: number; width: number; height: number }
  type PushPolicy = { mode: 'own' | 'manual' | 'auto'; publishUrl?: string | null; follow?: 'anchor' | 'stage' | null; playUrls?: { [key: string]: string } | null }
  type WatchPolicy = { public?: boolean | null; chat?: boolean | null; viewers?: boolean | null }
  type PlayURLs = { watch: string; whep?: string; rtmp?: string; flv?: string; hls?: string; expiresAt?: number; others?: { [key: string]: string } }
  type ShareLinks = { link: string; embed: string; qr?: string; expiresAt?: number }
  type VideoLayer = { encodingId: string; width: number; height: number }
  type WatchState = { at: number; startedAt: number; isLive: boolean; whep?: string; sources: Array<{ name: string; width?: number; height?: number; flv: string; hls: string; notInHLS?: Array<string> }>; viewers?: number; messages?: Array<{ seq: number; user: string; kind: 'text' | 'gift' | 'barrage' | 'custom'; text?: string; type?: string; count?: number; at: number }>; layers?: Array<VideoLayer>; poll: number; redirect?: string }
  type Room = { name: Name; createdAt: number; kind: 'voice' | 'video'; participants: number; publishers: number; tracks: number; users: Array<Name>; viewers: number; seats: number; speakers: Array<Name>; shown?: Name; live?: RoomLive; pk?: RoomPartner; jobs: Array<Job> }
  type RoomLive = { state: 'starting' | 'live' | 'failing'; since: number; jobId: string; stream?: string; viewers?: number }
  type RoomPartner = { room: Name; userId: Name }
  type RoomTotals = { rooms: number; participants: number; tracks: number; viewers: number; live: number; jobs: number }
  type RoomList = { rooms: Array<Room>; totals: RoomTotals; unanswered?: Unanswered; next?: string }
  type RoomDetail = { name: Name; createdAt: number; viewers: number; audience?: AudienceByNode; settings: RoomSettings; play: PlayURLs; participants: Array<Participant> }
  type AudienceByNode = { nodes: Array<{ node: string; region: string; viewers: number }>; regions: Array<{ region: string; viewers: number }> }
  type Participant = { userId: Name; grants: Array<Grant>; joinedAt: number; connected: boolean; tracks: Array<Track>; profile?: Profile; permissions?: Permissions; kind?: string }
  type Permissions = { grants: Array<'publish' | 'subscribe' | 'admin' | 'relay'>; sources?: Array<string>; data?: boolean; ownProfile?: boolean }
  type Profile = { name: string; metadata: string; attributes: { [key: string]: string } }
  type Track = { trackId: string; kind: 'audio' | 'video'; tag: string; name?: string; master: boolean; muted: boolean; codec?: string; width?: number; height?: number; fps?: number; bitrate?: number; layers?: Array<string> }
  type RoomStatistics = { name: Name; at: number; activeSpeakers: Array<Name>; participants: Array<{ userId: Name; publishing?: TransportStatistics; subscribing?: TransportStatistics; receiving: ReceptionStatistics; tracks: Array<TrackStatistics> }> }
  type TransportStatistics = { connected: boolean; remoteAddress?: string; roundTripMs?: number; receiveKbps: number; sendKbps: number; packetsReceived: number; packetsSent: number; targetKbps?: number; queueMs?: number; paced: boolean }
  type ReceptionStatistics = { tracks: number; kbps: number; packets: number; lost: number; fractionLost: number; jitterMs: number; nacks: number; retransmitted: number; keyFrameRequests: number }
  type TrackStatistics = { trackId: string; kind: 'audio' | 'video'; codec: string; transcodedFrom?: string; muted: boolean; kbps: number; fps: number; packets: number; bytes: number; lost: number; fractionLost: number; jitterMs: number; frames: number; keyFrames: number; nacksSent: number; keyFrameRequests: number; audioLevel?: number; subscriptions: number }
  type Server = { startedAt: number; at: number; rooms: number; participants: number; tracks: number; process: { cpuSeconds: number; residentBytes: number; openFiles: number; cores: number }; sockets: number; joins: { accepted: number; refused: number }; resumes: number; kicks: number; workers: Array<Worker>; drops: { [key: string]: number }; rtmpPort?: number; srtPort?: number }
  type Worker = { port: number; cpuSeconds: number; rooms: number; transports: number; connectedTransports: number; tracks: number; subscriptions: number; ringBytes: number; packetsReceived: number; bytesReceived: number; packetsSent: number; bytesSent: number; rtpForwarded: number; nackedPackets: number; retransmitted: number; dropped: number }
  type ServerSample = { at: number; cpu: number; residentBytes: number; rooms: number; participants: number; packetsReceived: number; packetsSent: number; kbpsReceived: number; kbpsSent: number; joins: number; refusedJoins: number; dropped: number }
  type Grant = 'publish' | 'subscribe' | 'admin' | 'relay' | 'hidden'
  type NewToken = { room: Name; user: Name; grants?: Array<Grant> | null; ttl?: number | null }
  // What a GET answers, by its path.
  type Answers = {
    '/sdk/{version}/{file}': {}
    '/healthz': Health
    '/v1/sdk': WebClient
    '/readyz': Ready
    '/v1/rooms': RoomList
    '/v1/rooms/{room}': RoomDetail
    '/v1/rooms/{room}/statistics': RoomStatistics
    '/v1/rooms/{room}/participants': ParticipantList
    '/v1/rooms/{room}/jobs': JobList
    '/v1/rooms/{room}/players': PlayerList
    '/v1/rooms/{room}/state': RoomState
    '/v1/rooms/{room}/images': ImageList
    '/v1/uploads': UploadList
    '/v1/recordings': RecordingList
    '/v1/recordings/{recording}': Recording
    '/v1/streams': StreamList
    '/v1/streams/{app}/{stream}/play': PlayURLs
    '/v1/streams/{app}/{stream}/share': ShareLinks
    '/v1/rooms/{room}/share': ShareLinks
    '/v1/watch/{room}': WatchState
    '/v1/watch/{app}/{stream}': WatchState
    '/v1/server': Server
    '/v1/server/drain': Drain
    '/v1/cluster': Cluster
    '/v1/nodes': NodeList
    '/v1/server/history': ServerHistory
    '/v1/history/events': HistoryEvents
    '/v1/history/sessions': HistorySessions
    '/v1/history/lives': HistoryLives
    '/v1/alarms': AlarmList
    '/v1/events': EventList
    '/whep/{room}/sessions/{session}/layer': { encodingId?: string; layers: Array<VideoLayer> }
  }
}
