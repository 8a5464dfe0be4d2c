// The nodes of a cluster, with what is free on them and their rooms. Hidden for a server that is no node of one.
import { h, keyed, say } from './dom.js'
import { card, cell, loadCell, table } from './fields.js'
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
    const words = text.cluster
    const { node, rows } = table(words.nodes, 'number', Object.values(words.columns).map((name, index) => [name, index > 4 ? 'right' : '']), false)
    this.rows = rows
    this.node = card(words.cluster, { style: 'cluster' }, h('div', { class: 'empty small' }, this.facts), node)
    this.node.hidden = true
  }

  async read() {
    // What a server is does not change while it runs.
    if (this.state?.enabled === false) return
    const state = this.state = await this.api.get('/v1/cluster')
    this.node.hidden = !state.enabled
    if (!state.enabled) return
    const { nodes, unanswered } = await this.api.get('/v1/nodes')
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
  const [name, mark, free] = [h('span', { class: 'mono' }), h('span', { class: 'badge' }, text.cluster.own), loadCell()]
  const [address, region, link, rooms, viewers] = ['mono', '', '', 'right', 'right'].map(style => cell(style))
  const node = h('tr', {}, h('td', {}, name, ' ', mark), address, region, free.node, link, rooms, viewers)
  /** @param {ClusterNode} given */
  const update = given => {
    say(name, given.node)
    mark.hidden = !given.isSelf
    say(address, given.address)
    say(region, given.region || '–')
    free.update(given.headroom, given.headroom > 0 ? percent(given.headroom, 0) : text.cluster.none)
    say(link, given.link ? linkText(given.link) : '–')
    say(rooms, count(given.rooms))
    say(viewers, given.viewers === undefined ? '–' : count(given.viewers))
  }
  return { node, update }
}
