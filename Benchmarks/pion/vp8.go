package main

// vp8 is the part of a payload descriptor (RFC 7741) that a change of layers needs.
type vp8 struct {
	startsKeyFrame bool
	at             int // of the picture id; 0 if there is none
	isLong         bool
	picture        uint16
}

func parseVP8(payload []byte) (vp8, bool) {
	if len(payload) < 2 {
		return vp8{}, false
	}
	var d vp8
	end := 1
	if payload[0]&0x80 != 0 {
		flags := payload[1]
		end = 2
		if flags&0x80 != 0 {
			if len(payload) < 4 {
				return vp8{}, false
			}
			d.at, d.isLong = end, payload[end]&0x80 != 0
			d.picture = uint16(payload[end] & 0x7f)
			end++
			if d.isLong {
				d.picture = d.picture<<8 | uint16(payload[end])
				end++
			}
		}
		if flags&0x40 != 0 {
			end++
		}
		if flags&0x30 != 0 {
			end++
		}
	}
	if len(payload) <= end {
		return vp8{}, false
	}
	// The start of the first partition, whose first bit is 0 in key frames.
	d.startsKeyFrame = payload[0]&0x10 != 0 && payload[0]&0x07 == 0 && payload[end]&1 == 0
	return d, true
}

// write adds the offset to the picture id, and returns it.
func (d vp8) write(payload []byte, offset uint16) uint16 {
	picture := (d.picture + offset) & 0x7fff
	if d.at == 0 {
		return 0
	}
	if d.isLong {
		payload[d.at], payload[d.at+1] = 0x80|byte(picture>>8), byte(picture)
	} else {
		payload[d.at] = byte(picture & 0x7f)
	}
	return picture
}
