package main

import "time"

// choice selects the layer of one subscriber by the estimate. Pion's estimate grows to 1.5 times of what arrives at most, and
// nothing probes, so a larger layer is tried after a time without a decrease; a trial that fails doubles that time.
type choice struct {
	wanted   int // -1 pauses the video
	changed  time.Time
	patience time.Duration
	trial    bool
}

const (
	headroom      = 0.95
	shortPatience = 5 * time.Second
	longPatience  = 60 * time.Second
	trialTime     = 4 * time.Second
)

func (c *choice) begin(now time.Time) {
	c.wanted, c.changed, c.patience = 1, now, shortPatience
}

// update takes the estimate, and the rates of the sound and of the layers, the smallest first, in bit/s.
func (c *choice) update(estimate, audio float64, layers []float64, now time.Time) {
	if len(layers) == 0 || c.patience == 0 {
		return
	}
	fits := -1
	for layer, rate := range layers {
		if rate > 0 && rate+audio <= estimate*headroom {
			fits = layer
		}
	}
	settled := now.Sub(c.changed)
	switch {
	case c.trial && settled < trialTime && estimate > 0.7*(rateOf(layers, c.wanted)+audio):
		// The estimate follows what is sent.
	case fits < c.wanted:
		if c.trial {
			c.patience = min(2*c.patience, longPatience)
		}
		// One layer down each time, and never below the smallest unless it does not fit for a second.
		next := max(fits, c.wanted-1)
		if next < 0 && settled < time.Second {
			return
		}
		c.wanted, c.changed, c.trial = next, now, false
	case fits > c.wanted:
		c.wanted, c.changed, c.trial = c.wanted+1, now, false
	case c.wanted < len(layers)-1 && settled > c.patience:
		c.wanted, c.changed, c.trial = c.wanted+1, now, true
	case c.trial && settled >= trialTime:
		c.trial, c.patience = false, shortPatience
	}
}

func rateOf(layers []float64, layer int) float64 {
	if layer < 0 || layer >= len(layers) {
		return 0
	}
	return layers[layer]
}
