// Runs before the page is drawn, so that a chosen theme never flashes.
try {
  const chosen = localStorage.getItem('roomserver.theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch { /* storage is off: the system's theme applies */ }
