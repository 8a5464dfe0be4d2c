/// Effects in order. A change is crossfaded within the next block; effects that stay keep their tails.
public final class EffectChain {
  /// The most effects of a chain. Further ones are ignored.
  public static let most = 8

  /// A place in the chain. During the block of a change, it also has the effect that leaves.
  private struct Slot {
    var effect: (any SoundEffect)?
    var leaving: (any SoundEffect)?
    var isChanging: Bool
  }

  private var slots: [Slot] = []
  private var scratch: [Float] = []
  /// The effects of the chain.
  public private(set) var effects: [Effect] = []

  /// Creates a chain without effects, which changes nothing.
  public init() {}

  /// Replaces the effects from the next block on.
  public func replace(with effects: [Effect]) {
    guard !effects.prefix(Self.most).elementsEqual(self.effects) else { return }
    let wanted = Array(effects.prefix(Self.most))
    finishChange()
    let old = self.effects
    let both = min(old.count, wanted.count)
    let head = (0..<both).first { old[$0] != wanted[$0] } ?? both
    let tail = (0..<both - head).first { old[old.count - 1 - $0] != wanted[wanted.count - 1 - $0] } ?? both - head
    var changed = slots[head..<old.count - tail].map { Slot(effect: nil, leaving: $0.effect, isChanging: true) }
    for (index, effect) in wanted[head..<wanted.count - tail].enumerated() {
      if index == changed.count { changed.append(Slot(effect: nil, leaving: nil, isChanging: true)) }
      changed[index].effect = effect.makeEffect()
    }
    slots.replaceSubrange(head..<old.count - tail, with: changed)
    self.effects = wanted
  }

  /// Processes interleaved stereo samples in place.
  public func process(_ block: inout [Float]) {
    for index in slots.indices {
      guard slots[index].isChanging else {
        slots[index].effect?.process(&block)
        continue
      }
      SoundBlock.copy(block, to: &scratch)
      slots[index].leaving?.process(&scratch)
      slots[index].effect?.process(&block)
      SoundBlock.crossfade(from: scratch, to: &block)
    }
    finishChange()
  }

  private func finishChange() {
    guard slots.contains(where: \.isChanging) else { return }
    slots.removeAll { $0.effect == nil }
    for index in slots.indices {
      slots[index].leaving = nil
      slots[index].isChanging = false
    }
  }
}
