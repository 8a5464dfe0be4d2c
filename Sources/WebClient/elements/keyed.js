// Lists whose nodes follow their items.

/**
 * What stands for an item.
 * @template T
 * @typedef {{ node: ChildNode, update(item: T): void, remove?(): void }} Part
 */

/** @type {WeakMap<Element, Map<unknown, Part<any>>>} */
const lists = new WeakMap()

// Makes the children of `container` match `items`, in order. `make(item)` returns `{ node, update(item) }`. A node is kept as
// long as its key, so that focus, pictures and drawings survive.
/** @template T @param {Element} container @param {Iterable<T>} items @param {(item: T) => unknown} keyOf @param {(item: T) => Part<T>} make */
export function keyed(container, items, keyOf, make) {
  const before = lists.get(container) ?? new Map()
  const now = new Map()
  for (const item of items) {
    const key = keyOf(item)
    const part = before.get(key) ?? make(item)
    part.update(item)
    now.set(key, part)
  }
  for (const [key, part] of before) {
    if (now.has(key)) continue
    part.remove?.()
    part.node.remove()
  }
  let place = container.firstChild
  for (const { node } of now.values()) {
    if (place && node === place) place = place.nextSibling
    else container.insertBefore(node, place)
  }
  lists.set(container, now)
}
