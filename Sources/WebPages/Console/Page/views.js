// The views of the console. The code of a view is loaded when it is first shown, or earlier, while the page is idle.
import { text } from './text.js'

const PATIENCE = 5000 // milliseconds after which a busy page loads the next one all the same

// The code that the page does not begin with. A browser imports again what it failed to load.
const code = {
  rooms: () => import('./view-rooms.js'),
  room: () => import('./view-room.js'),
  overview: () => import('./view-overview.js'),
  live: () => import('./view-live.js'),
  recordings: () => import('./view-recordings.js'),
  history: () => import('./view-history.js'),
  server: () => import('./view-server.js'),
  player: () => import('./player-dialog.js'),
  style: () => import('./stage-style.js'),
  invite: () => import('./pk-invite.js'),
  mix: () => import('./mix.js'),
  call: () => import('./call.js'),
}

/** @param {ConstructorParameters<typeof import('./call.js').Call>[0]} given */
export const newCall = async given => new (await code.call()).Call(given)

/** @param {SignedIn} app @param {string} name @returns {Promise<View>} */
export const roomView = async (app, name) => new (await code.room()).RoomView(app, name)

// A view has a `node`, a `title`, and `stop()`, which is called when it closes.
/** @type {Record<string, Section & { make(app: Operator, name?: string): Promise<View> }>} */
export const views = {
  rooms: { label: text.shell.rooms, icon: 'rooms', make: async (app, name) => name ? roomView(app, name) : new (await code.rooms()).RoomsView(app) },
  overview: { label: text.shell.overview, icon: 'eye', make: async app => new (await code.overview()).OverviewView(app) },
  live: { label: text.shell.live, icon: 'live', make: async app => new (await code.live()).LiveView(app) },
  recordings: { label: text.shell.recordings, icon: 'film', make: async (app, room) => new (await code.recordings()).RecordingsView(app, room) },
  history: { label: text.shell.history, icon: 'past', make: async (app, name) => new (await code.history()).HistoryView(app, name) },
  server: { label: text.shell.server, icon: 'server', make: async app => new (await code.server()).ServerView(app) },
}

// Safari has no `requestIdleCallback`.
const idle = () => new Promise(resolve => 'requestIdleCallback' in window ? requestIdleCallback(resolve, { timeout: PATIENCE }) : setTimeout(resolve, 1000))

// Loads all code, one module after another, so that every view opens without the server that the page came from. The attribute
// `data-views` of the document then says "loaded". What fails is loaded again when it is opened.
export async function loadViews() {
  let isWhole = true
  for (const load of Object.values(code)) {
    await idle()
    await load().catch(() => { isWhole = false })
  }
  if (isWhole) document.documentElement.dataset.views = 'loaded'
}
