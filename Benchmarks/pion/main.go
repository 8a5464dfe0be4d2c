// An SFU for one room on Pion, with its congestion control (GCC) and a simple choice of layers: what docs/performance/network.md compares
// with. POST /publish and POST /subscribe take an SDP offer and return the answer. A publisher sends its layers as video tracks, the
// smallest first.
//
//	pion-sfu ADDRESS:PORT
package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/cc"
	"github.com/pion/interceptor/pkg/gcc"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
)

type room struct {
	mutex       sync.Mutex
	publisher   *webrtc.PeerConnection
	ssrcs       map[int]webrtc.SSRC
	rates       map[int]*rate
	audio       rate
	subscribers []*subscriber
}

// rate is the bitrate of the last second.
type rate struct {
	bytes int
	bps   float64
}

type subscriber struct {
	room           *room
	audio, video   *webrtc.TrackLocalStaticRTP
	estimator      cc.BandwidthEstimator
	choice         choice
	current        int // the layer that is sent; -1 before the first
	lastSequence   uint16
	lastTimestamp  uint32
	lastTime       time.Time
	lastPicture    uint16
	sequenceOffset uint16
	timeOffset     uint32
	pictureOffset  uint16
}

func newAPI(bandwidth func(cc.BandwidthEstimator)) (*webrtc.API, error) {
	media := &webrtc.MediaEngine{}
	if err := media.RegisterDefaultCodecs(); err != nil {
		return nil, err
	}
	registry := &interceptor.Registry{}
	if bandwidth != nil {
		// Pion's documentation recommends a pacer for video; the default one is a leaky bucket at the estimate.
		control, err := cc.NewInterceptor(func() (cc.BandwidthEstimator, error) {
			return gcc.NewSendSideBWE(gcc.SendSideBWEInitialBitrate(600_000), gcc.SendSideBWEMinBitrate(50_000))
		})
		if err != nil {
			return nil, err
		}
		control.OnNewPeerConnection(func(_ string, estimator cc.BandwidthEstimator) { bandwidth(estimator) })
		registry.Add(control)
		if err := webrtc.ConfigureTWCCHeaderExtensionSender(media, registry); err != nil {
			return nil, err
		}
	}
	if err := webrtc.RegisterDefaultInterceptors(media, registry); err != nil {
		return nil, err
	}
	settings := webrtc.SettingEngine{}
	settings.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	return webrtc.NewAPI(webrtc.WithMediaEngine(media), webrtc.WithInterceptorRegistry(registry), webrtc.WithSettingEngine(settings)), nil
}

func answer(connection *webrtc.PeerConnection, offer string) (string, error) {
	if err := connection.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}); err != nil {
		return "", err
	}
	description, err := connection.CreateAnswer(nil)
	if err != nil {
		return "", err
	}
	gathered := webrtc.GatheringCompletePromise(connection)
	if err := connection.SetLocalDescription(description); err != nil {
		return "", err
	}
	<-gathered
	return connection.LocalDescription().SDP, nil
}

func (r *room) publish(offer string) (string, error) {
	api, err := newAPI(nil)
	if err != nil {
		return "", err
	}
	connection, err := api.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return "", err
	}
	connection.OnTrack(func(track *webrtc.TrackRemote, receiver *webrtc.RTPReceiver) {
		layer := -1
		for _, transceiver := range connection.GetTransceivers() {
			if transceiver.Kind() != webrtc.RTPCodecTypeVideo {
				continue
			}
			layer++
			if transceiver.Receiver() == receiver {
				break
			}
		}
		isVideo := track.Kind() == webrtc.RTPCodecTypeVideo
		if isVideo {
			r.mutex.Lock()
			r.ssrcs[layer] = track.SSRC()
			r.rates[layer] = &rate{}
			r.mutex.Unlock()
		}
		for {
			packet, _, err := track.ReadRTP()
			if err != nil {
				return
			}
			r.forward(packet, layer, isVideo)
		}
	})
	r.mutex.Lock()
	r.publisher = connection
	r.mutex.Unlock()
	return answer(connection, offer)
}

func (r *room) subscribe(offer string) (string, error) {
	s := &subscriber{room: r, current: -1}
	api, err := newAPI(func(estimator cc.BandwidthEstimator) { s.estimator = estimator })
	if err != nil {
		return "", err
	}
	connection, err := api.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return "", err
	}
	if s.audio, err = webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus}, "audio", "room"); err != nil {
		return "", err
	}
	if s.video, err = webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeVP8}, "video", "room"); err != nil {
		return "", err
	}
	for _, track := range []*webrtc.TrackLocalStaticRTP{s.audio, s.video} {
		sender, err := connection.AddTrack(track)
		if err != nil {
			return "", err
		}
		go func() {
			for {
				packets, _, err := sender.ReadRTCP()
				if err != nil {
					return
				}
				for _, packet := range packets {
					switch packet.(type) {
					case *rtcp.PictureLossIndication, *rtcp.FullIntraRequest:
						r.requestKeyFrame(s.choice.wanted)
					}
				}
			}
		}()
	}
	text, err := answer(connection, offer)
	if err != nil {
		return "", err
	}
	s.choice.begin(time.Now())
	r.mutex.Lock()
	r.subscribers = append(r.subscribers, s)
	r.mutex.Unlock()
	return text, nil
}

func (r *room) requestKeyFrame(layer int) {
	r.mutex.Lock()
	ssrc, isKnown := r.ssrcs[layer]
	publisher := r.publisher
	r.mutex.Unlock()
	if isKnown {
		_ = publisher.WriteRTCP([]rtcp.Packet{&rtcp.PictureLossIndication{MediaSSRC: uint32(ssrc)}})
	}
}

func (r *room) forward(packet *rtp.Packet, layer int, isVideo bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	// The extensions are those of the publisher's connection.
	packet.Header.Extension = false
	packet.Header.Extensions = nil
	if !isVideo {
		r.audio.bytes += len(packet.Payload) + 60
		for _, s := range r.subscribers {
			_ = s.audio.WriteRTP(packet)
		}
		return
	}
	r.rates[layer].bytes += len(packet.Payload) + 60
	for _, s := range r.subscribers {
		s.send(packet, layer)
	}
}

// send forwards a packet of the current layer, and changes to the wanted one at its key frame.
func (s *subscriber) send(packet *rtp.Packet, layer int) {
	wanted := s.choice.wanted
	descriptor, isParsed := parseVP8(packet.Payload)
	if !isParsed {
		return
	}
	now := time.Now()
	if layer == wanted && layer != s.current && descriptor.startsKeyFrame {
		if s.current >= 0 {
			s.sequenceOffset = s.lastSequence + 1 - packet.SequenceNumber
			passed := uint32(now.Sub(s.lastTime).Microseconds() * 9 / 100)
			s.timeOffset = s.lastTimestamp + max(passed, 1) - packet.Timestamp
			s.pictureOffset = s.lastPicture + 1 - descriptor.picture
		}
		s.current = layer
	}
	if layer != s.current {
		return
	}
	// A paused video stops at once; it returns at a key frame.
	if wanted < 0 {
		s.current = -2
		return
	}
	copied := *packet
	copied.Payload = append([]byte(nil), packet.Payload...)
	copied.SequenceNumber += s.sequenceOffset
	copied.Timestamp += s.timeOffset
	picture := descriptor.write(copied.Payload, s.pictureOffset)
	if int16(copied.SequenceNumber-s.lastSequence) > 0 || s.lastTime.IsZero() {
		s.lastSequence, s.lastTimestamp, s.lastTime, s.lastPicture = copied.SequenceNumber, copied.Timestamp, now, picture
	}
	_ = s.video.WriteRTP(&copied)
}

// measure updates the rates each second and the choices five times a second.
func (r *room) measure() {
	for tick := 0; ; tick++ {
		time.Sleep(200 * time.Millisecond)
		var requests []int
		r.mutex.Lock()
		if tick%5 == 0 {
			for _, rate := range r.rates {
				rate.bps, rate.bytes = float64(rate.bytes*8), 0
			}
			r.audio.bps, r.audio.bytes = float64(r.audio.bytes*8), 0
		}
		layers := make([]float64, len(r.rates))
		for layer := range layers {
			if rate := r.rates[layer]; rate != nil {
				layers[layer] = rate.bps
			}
		}
		for _, s := range r.subscribers {
			if s.estimator == nil {
				continue
			}
			s.choice.update(float64(s.estimator.GetTargetBitrate()), r.audio.bps, layers, time.Now())
			if s.choice.wanted != s.current && s.choice.wanted >= 0 {
				requests = append(requests, s.choice.wanted)
			}
		}
		r.mutex.Unlock()
		for _, layer := range requests {
			r.requestKeyFrame(layer)
		}
	}
}

func handler(body func(string) (string, error)) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		writer.Header().Set("Access-Control-Allow-Origin", "*")
		writer.Header().Set("Access-Control-Allow-Headers", "*")
		writer.Header().Set("Access-Control-Allow-Private-Network", "true")
		if request.Method == http.MethodOptions {
			return
		}
		offer, err := io.ReadAll(io.LimitReader(request.Body, 1<<20))
		if err == nil {
			var text string
			if text, err = body(string(offer)); err == nil {
				_, _ = io.WriteString(writer, text)
				return
			}
		}
		http.Error(writer, err.Error(), http.StatusBadRequest)
	}
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: pion-sfu ADDRESS:PORT")
	}
	r := &room{ssrcs: map[int]webrtc.SSRC{}, rates: map[int]*rate{}}
	http.HandleFunc("/publish", handler(r.publish))
	http.HandleFunc("/subscribe", handler(r.subscribe))
	go r.measure()
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
