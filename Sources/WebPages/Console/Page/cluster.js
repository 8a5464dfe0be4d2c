// The nodes of a cluster, with what is free on them and their rooms. Hidden for a server that is no node of one.
import { h, keyed, say } from './dom.js'
import { count, percent } from './format.js'
import { text } from './text.js'

/** @typedef {Wire.Cluster['nodes'][number] & { viewers?: number }} ClusterNode */

export class ClusterCard {
  /** @param {Api} api */
  constructor(api) {
    this.api = api
    /** @type {Map<string, Wire.NodeList['nodes'][number]> | undefined} */
    this.people = undefined
    this.facts = h('p')
    this.rows = h('tbody')
    const words = text.cluster
    this.node = h('section', { class: 'card cluster', 'aria-label': words.cluster, hidden: true },
      h('div', { class: 'card-head' }, h('h2', {}, words.cluster)), h('div', { class: 'empty small' }, this.facts),
      h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words.nodes }, h('table', { class: 'table number' },
        h('thead', {}, h('tr', {}, Object.values(words.columns).map((name, index) => h('th', { scope: 'col', class: index > 4 ? 'right' : '' }, name)))), this.rows)))
  }

  async read() {
    // What a server is does not change while it runs.
    if (this.state?.enabled === false) return
    const state = this.state = await this.api.cluster()
    this.node.hidden = !state.enabled
    if (!state.enabled) return
    const { nodes, unanswered } = await this.api.nodes()
    this.people = new Map(nodes.map(each => [each.node, each]))
    const rooms = state.nodes.reduce((sum, node) => sum + node.rooms, 0)
    const { served, rooms: foreign, clients } = state.edges
    say(this.facts, text.cluster.facts(state.nodes.length, rooms, state.leases.length, state.orphans, trouble(state)) + text.cluster.edges(served, foreign, clients) + text.cluster.unanswered(unanswered))
    const shown = state.nodes.map(node => ({ ...node, viewers: unanswered.includes(node.node) ? undefined : this.people?.get(node.node)?.viewers }))
    keyed(this.rows, shown, node => node.incarnation, nodeRow)
  }
}

// What an operator has to know; nothing as a rule.
/** @param {Wire.Cluster} state */
function trouble(state) {
  if (state.promised) return text.cluster.promised
  if (!state.store) return text.cluster.away
  return state.ready ? '' : text.cluster.waits
}

// The state of a link; while it is live, its round-trip time, and its loss if there is any.
/** @param {NonNullable<ClusterNode['link']>} link */
function linkText(link) {
  const facts = [text.cluster.link[link.state]]
  if (link.held > 0) facts.push(text.cluster.held(link.held))
  if (link.state === 'live' && link.roundTrip !== undefined) facts.push(`${link.roundTrip.toFixed(1)} ms`)
  if (link.state === 'live' && link.loss > 0) facts.push(percent(link.loss, 1))
  return facts.join(', ')
}

/** @returns {Part<ClusterNode>} */
function nodeRow() {
  const viewers = h('td', { class: 'right' })
  const [name, mark, address, region, rooms] = [h('span', { class: 'mono' }), h('span', { class: 'badge' }), h('td', { class: 'mono' }), h('td'), h('td', { class: 'right' })]
  const link = h('td')
  const [free, bar] = [h('span'), h('i')]
  say(mark, text.cluster.own)
  const node = h('tr', {}, h('td', {}, name, ' ', mark), address, region, h('td', {}, h('div', { class: 'load' }, free, h('div', { class: 'meter' }, bar))), link, rooms, viewers)
  /** @param {ClusterNode} given */
  const update = given => {
    say(name, given.node)
    mark.hidden = !given.isSelf
    say(address, given.address)
    say(region, given.region || '–')
    say(free, given.headroom > 0 ? percent(given.headroom, 0) : text.cluster.none)
    bar.style.transform = `scaleX(${Math.min(1, Math.max(0, given.headroom)).toFixed(3)})`
    say(link, given.link ? linkText(given.link) : '–')
    say(rooms, count(given.rooms))
    say(viewers, given.viewers === undefined ? '–' : count(given.viewers))
  }
  return { node, update }
}
