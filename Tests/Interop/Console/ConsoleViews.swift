import RoomChromium

/// What is checked of every view of the pages, whatever it shows.
struct ConsoleViews {
  let page: BrowserPage
  /// Findings with the view in which they are.
  private(set) var findings: [String] = []

  init(_ page: BrowserPage) { self.page = page }

  /// The widths of a phone, of tablets and of desktops.
  private static let widths = [390, 768, 1024, 1150, 1440]

  /// Checks the view that is shown: the names of its controls, sideways scroll at all widths, contrast in light and dark.
  mutating func check(_ view: String) async throws {
    try await page.showWithoutTransitions()
    for width in Self.widths {
      try await page.show(width: width, height: width == 390 ? 844 : 900, mobile: width == 390)
      // A page that is too wide widens `innerWidth` of a phone, not this.
      try await page.wait(until: "document.documentElement.clientWidth === \(width)")
      // The browser lays the page out for the width before its next frame.
      let overflow: [String] = try await page.evaluate(Self.overflow)
      findings += overflow.map { "\(view) at \(width): sideways scroll by \($0)" }
      findings += try await (page.evaluate(Self.unnamed) as [String]).map { "\(view) at \(width): no name: \($0)" }
    }
    for width in [390, 1440] {
      for dark in [false, true] {
        try await page.show(width: width, height: 900, mobile: width == 390, dark: dark)
        try await page.wait(
          until:
            "matchMedia('(prefers-color-scheme: dark)').matches === \(dark) && document.documentElement.clientWidth === \(width)"
        )
        let pale: [String] = try await page.evaluate(Self.pale)
        findings += pale.map { "\(view) at \(width), \(dark ? "dark" : "light"): contrast \($0)" }
      }
    }
    try await page.show(width: 1280, height: 800)
  }

  private static let overflow = """
    new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      if (scrollWidth <= clientWidth) return resolve([])
      const wide = [...document.querySelectorAll('body *')].filter(node => node.checkVisibility() && node.getBoundingClientRect().right > clientWidth + 1)
      resolve([`${scrollWidth - clientWidth} px: ${wide.slice(-1).map(node => node.outerHTML.slice(0, 120))}`])
    })))
    """

  private static let unnamed = """
    [...document.querySelectorAll('button, a[href], input, select, textarea, video, summary, iframe, [role=img]')].filter(node => node.checkVisibility()
      && !node.getAttribute('aria-label') && !node.title && !node.textContent.trim() && !node.labels?.length && !node.querySelector('img[alt]:not([alt=""])'))
      .map(node => node.outerHTML.slice(0, 160))
    """

  /// Texts with less than 4.5:1 (WCAG 2.2, 1.4.3). Disabled controls are exempt, and so are texts over a picture, whose
  /// background is not known.
  private static let pale = """
    (() => {
      const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
      const parse = colour => {
        pen.clearRect(0, 0, 1, 1)
        pen.fillStyle = colour
        pen.fillRect(0, 0, 1, 1)
        const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data
        return [red, green, blue, alpha / 255]
      }
      const over = (top, below) => [0, 1, 2].map(index => top[index] * top[3] + below[index] * (1 - top[3]))
      const light = colour => {
        const [red, green, blue] = colour.map(value => value / 255).map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
      }
      // The opaque colour behind an element; null if a picture is behind it.
      const behind = node => {
        const layers = []
        for (let each = node; each; each = each.parentElement) {
          const style = getComputedStyle(each)
          if (style.backgroundImage !== 'none') return null
          const layer = parse(style.backgroundColor)
          if (layer[3] > 0) layers.push(layer)
          if (layer[3] === 1) return layers.reduceRight((below, top) => over(top, below), [0, 0, 0])
          if (style.position === 'absolute' || each.querySelector('video, canvas')) return null
        }
        return layers.reduceRight((below, top) => over(top, below), [255, 255, 255])
      }
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      const found = new Set()
      while (walker.nextNode()) {
        const node = walker.currentNode.parentElement
        const text = walker.currentNode.data.trim()
        if (!text || node.closest('option, :disabled, noscript, svg') || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
        const ground = behind(node)
        if (!ground) continue
        let opacity = 1
        for (let each = node; each; each = each.parentElement) opacity *= Number(getComputedStyle(each).opacity)
        const given = parse(getComputedStyle(node).color)
        given[3] *= opacity
        const [a, b] = [light(over(given, ground)), light(ground)].sort((a, b) => b - a)
        const contrast = (a + 0.05) / (b + 0.05)
        if (contrast < 4.5) found.add(`${contrast.toFixed(2)} of "${text.slice(0, 30)}" in ${node.tagName.toLowerCase()}.${node.className}`)
      }
      return [...found]
    })()
    """
}

extension BrowserPage {
  /// Ends transitions and animations at once, so that colours are those of their end.
  func showWithoutTransitions() async throws {
    let _: Bool = try await evaluate(
      """
      (() => {
        const sheet = new CSSStyleSheet()
        sheet.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important }')
        document.adoptedStyleSheets = [sheet]
        return true
      })()
      """)
  }
}
