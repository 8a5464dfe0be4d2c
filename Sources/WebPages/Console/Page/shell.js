// The frame: navigation, the current call, what waits for an answer, the theme, and sign-out.
import { Acts } from './acts.js'
import { Alarms } from './alarms.js'
import { toastError, tried } from './dialogs.js'
import { attribute, h, icon, iconButton, say } from './dom.js'
import { span } from './format.js'
import { goLiveDialog, leave } from './go-live.js'
import { inWords } from './on-air.js'
import { renewDialog } from './renew.js'
import { here } from './server.js'
import { requestList } from './request-list.js'
import { requests } from './requests.js'
import { text, words } from './text.js'

const SOON = 600_000 // a token that ends within this time is announced

/** @type {Array<[string, Icon, string]>} */
const themes = [['auto', 'half', text.shell.themeAuto], ['light', 'sun', text.shell.themeLight], ['dark', 'moon', text.shell.themeDark]]

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
    this.liveButton = app.api && h('button', { type: 'button', class: 'button primary', data: { action: 'begin-live' }, on: { click: () => goLiveDialog(app) } }, icon('live', 'small'), text.stage.goLive)
    /** @param {[string, Section]} given */
    const link = ([name, { label, icon: drawing, path }]) => {
      const node = h('a', { href: `#/${path ?? name}`, data: { section: name } }, icon(drawing), h('span', {}, label))
      this.links.push(node)
      return node
    }
    const entries = Object.entries(views)
    this.strips = [this.#strip(), this.#strip()]
    this.where = h('a', { class: 'link faint', hidden: true, data: { where: '' } })
    this.expires = h('span', { class: 'faint expires' })
    const { session } = app
    const signOut = () => iconButton('leave', text.shell.signOut, () => app.leaveAndSignOut())
    this.waiting = requestList({ seconds: words.requests.seconds, tried })
    this.token = h('div', { class: 'banner', hidden: true, role: 'status', data: { notice: 'token' } }, this.tokenText = h('span'),
      h('button', { type: 'button', class: 'button small', data: { action: 'renew' }, on: { click: () => renewDialog(app) } }, text.shell.enterToken))
    this.farewell = h('div', { class: 'banner', hidden: true, role: 'status', data: { notice: 'farewell' } }, this.farewellText = h('span'),
      iconButton('close', text.common.dismiss, () => { app.farewell = null; this.update() }))
    this.main = h('main', { class: 'main', id: 'main', tabindex: '-1' })
    this.node = h('div', { class: 'shell' },
      h('a', { class: 'skip', href: '#main', on: { click: event => { event.preventDefault(); this.main.focus() } } }, text.shell.skip),
      h('aside', { class: 'side' },
        brand(),
        this.liveButton,
        h('nav', { class: 'nav', 'aria-label': text.shell.sections }, entries.map(link)),
        h('div', { class: 'side-foot' }, this.where, this.strips[0].node,
          h('div', { class: 'signed' },
            h('div', {}, h('b', {}, session.kind === 'api' ? session.key : session.user), this.expires),
            themeButton(), signOut()))),
      h('header', { class: 'top' }, brand(), app.api && iconButton('live', text.stage.goLive, () => goLiveDialog(app)), themeButton(), signOut()),
      h('div', { class: 'banners' }, this.strips[1].node, this.token, this.farewell, this.waiting.node),
      this.main,
      h('nav', { class: 'tabs', 'aria-label': text.shell.sections }, entries.map(link)))
    this.alarms = app.api && new Alarms(app.api, this.links)
    this.timer = setInterval(() => this.update(), 1000)
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
    say(this.where, text.shell.at(host))
  }

  // The room that we are in, while another view is shown: in the side bar, and on narrow screens above the view.
  #strip() {
    const { app } = this
    const [dot, link] = [h('span', { class: 'dot' }), h('a')]
    const mute = iconButton('microphone', text.stage.microphone, () => {
      const own = app.call?.devices
      own?.setMicrophone(!own.isOn('microphone')).catch(toastError)
    })
    mute.dataset.action = 'strip-microphone'
    const end = iconButton('leave', text.stage.leaveRoom, () => app.call && leave(app.call), 'quiet small danger')
    end.dataset.action = 'strip-leave'
    return { node: h('div', { class: 'in-call', hidden: true }, dot, link, mute, end), dot, link, mute }
  }

  update() {
    const { app } = this
    const { call, view, session, farewell } = app
    const on = call && call.state !== 'ended' ? call : null
    for (const { node, dot, link, mute } of this.strips) {
      node.hidden = !on || view?.room === on.room
      if (!on) continue
      const phase = on.broadcast.phase
      dot.className = `dot ${on.state === 'reconnecting' || phase === 'failing' ? 'warn' : phase === 'live' ? 'on' : 'good'}`
      say(link, [text.shell.inRoom(on.room), on.state === 'reconnecting' && !phase ? text.stage.reconnectingShort : inWords(on)].filter(Boolean).join(' · '))
      attribute(link, 'href', `#/rooms/${encodeURIComponent(on.room)}`)
      const isMuted = !on.devices.isOn('microphone')
      mute.hidden = !on.mayPublish
      mute.show(isMuted ? 'microphone-off' : 'microphone', text.stage.microphone, isMuted ? text.stage.unmuteMicrophone : text.stage.muteMicrophone)
      attribute(mute, 'aria-pressed', String(!isMuted))
    }
    this.#tellToken(session)
    this.farewell.hidden = !farewell || Boolean(on) || view?.room === farewell.room
    say(this.farewellText, farewell ? `${farewell.room}: ${farewell.reason}` : '')
    const acts = on && new Acts(app, on.room)
    const waiting = on?.isOn && acts && on.scene.now ? requests(acts, on.scene.now, words.requests).filter(item => item.isForUs) : []
    app.attention.update(waiting)
    this.waiting.update(app.stageInSight === on?.room ? [] : waiting)
  }

  // Counts down, and warns before the end.
  /** @param {Session | null} session */
  #tellToken(session) {
    if (!session) return
    const left = session.expires - Date.now()
    const isOver = left <= 0 || Boolean(this.app.api?.refused)
    say(this.expires, isOver ? text.shell.tokenOver : text.shell.expiresIn(span(left)))
    this.expires.classList.toggle('warn', isOver || left < SOON)
    this.token.hidden = !isOver && left >= SOON
    if (this.token.hidden) return
    const { call } = this.app
    say(this.tokenText, isOver ? text.shell.tokenIsOver(Boolean(call), session.kind === 'api') : text.shell.tokenEnds(span(left)))
  }

  stop() {
    clearInterval(this.timer)
    this.alarms?.stop()
  }
}
