// A new token in the place of one that ends: the page, and a call, go on.
import { ask } from './dialogs.js'
import { h } from './dom.js'
import { field } from './fields.js'
import { read } from './session.js'
import { isSame } from './tabs.js'
import { text } from './text.js'

/** @param {SignedIn} app */
export function renewDialog(app) {
  const input = h('textarea', { class: 'input mono', id: 'new-token', required: true, rows: 4, spellcheck: 'false', autocomplete: 'off' })
  const { session } = app
  ask({
    title: text.shell.newToken, text: session.kind === 'api' ? text.shell.newApiToken : text.shell.newRoomToken(session.user, session.room), action: text.shell.useToken,
    act: async () => {
      const found = read(input.value)
      if (!isSame(found, app.session) && (found.kind !== 'api' || session.kind !== 'api')) throw new Error(text.shell.wrongToken)
      app.renew(found)
    },
  }, field(input, text.shell.token))
}
