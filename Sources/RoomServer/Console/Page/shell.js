// The frame: navigation, the current call, the theme, and sign-out.
import { attribute, h, icon, iconButton, say } from './dom.js'
import { span } from './format.js'
import { goLiveDialog } from './join.js'
import { here } from './server.js'

/** @type {Array<[string, Icon, string]>} */
const themes = [['auto', 'half', 'Theme: as the system'], ['light', 'sun', 'Theme: light'], ['dark', 'moon', 'Theme: dark']]

function themeButton() {
  const root = document.documentElement
  const button = iconButton('half', '', () => {
    const now = themes.findIndex(([name]) => name === (root.dataset.theme ?? 'auto'))
    const [next] = themes[(now + 1) % themes.length]
    if (next === 'auto') delete root.dataset.theme
    else root.dataset.theme = next
    try { localStorage.setItem('roomserver.theme', next) } catch { /* storage is off: the theme lasts until the page closes */ }
    update()
  })
  button.dataset.action = 'theme'
  const update = () => {
    const [, drawing, label] = themes.find(([name]) => name === root.dataset.theme) ?? themes[0]
    button.show(drawing, label)
  }
  update()
  return button
}

const brand = () => h('a', { class: 'brand', href: '#/' }, h('img', { src: '/console/icon.svg', alt: '', width: 24, height: 24 }), 'roomserver')

export class Shell {
  /** @param {SignedIn} app @param {Record<string, Section>} views */
  constructor(app, views) {
    this.app = app
    /** @type {HTMLElement[]} */
    this.links = []
    this.liveButton = app.api && h('button', { type: 'button', class: 'button primary', data: { action: 'begin-live' }, on: { click: () => goLiveDialog(app) } }, icon('live', 'small'), 'Go live')
    /** @param {[string, Section]} given */
    const link = ([name, { label, icon: drawing, path }]) => {
      const node = h('a', { href: `#/${path ?? name}`, data: { section: name } }, icon(drawing), h('span', {}, label))
      this.links.push(node)
      return node
    }
    const entries = Object.entries(views)
    this.callLink = h('a')
    this.callBar = h('div', { class: 'in-call', hidden: true }, h('span', { class: 'dot good' }), this.callLink,
      iconButton('close', 'Leave the room', () => app.call?.leave(), 'quiet small danger'))
    this.where = h('a', { class: 'link faint', hidden: true, data: { where: '' } })
    const { session } = app
    const signOut = () => iconButton('leave', 'Sign out', () => app.signOut())
    this.main = h('main', { class: 'main', id: 'main', tabindex: '-1' })
    this.node = h('div', { class: 'shell' },
      h('aside', { class: 'side' },
        brand(),
        this.liveButton,
        h('nav', { class: 'nav', 'aria-label': 'Sections' }, entries.map(link)),
        h('div', { class: 'side-foot' }, this.where, this.callBar,
          h('div', { class: 'signed' },
            h('div', {}, h('b', {}, session.kind === 'api' ? session.key : session.user),
              h('span', { class: 'faint' }, `expires in ${span(session.expires - Date.now())}`)),
            themeButton(), signOut()))),
      h('header', { class: 'top' }, brand(), app.api && iconButton('live', 'Go live', () => goLiveDialog(app)), themeButton(), signOut()),
      this.main,
      h('nav', { class: 'tabs', 'aria-label': 'Sections' }, entries.map(link)))
    this.moved()
  }

  /** @param {View} view @param {string} section */
  show(view, section) {
    for (const link of this.links) attribute(link, 'aria-current', link.dataset.section === section && 'page')
    this.main.replaceChildren(view.node)
    this.update()
  }

  // The console uses another server than the one that it was loaded from, which has a console of its own.
  moved() {
    const { host, base } = here()
    this.where.hidden = base === location.origin
    attribute(this.where, 'href', `${base}/`)
    say(this.where, `At ${host}`)
  }

  update() {
    const { call, view } = this.app
    this.callBar.hidden = !call || call.state === 'ended' || view?.room === call.room
    if (!call) return
    say(this.callLink, `In ${call.room}`)
    attribute(this.callLink, 'href', `#/rooms/${encodeURIComponent(call.room)}`)
  }
}
