package svc

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"iter"
	"net/http"
	"sync"
	"time"
)

// An answer with its entity tag.
type kept struct {
	// Server, token and body.
	key string
	// Empty where a proxy lets no QUERY through: then the text tells whether something has changed.
	tag  string
	text []byte
	// A pointer to the result.
	value any
	bytes int
}

// The answers used last, within a number of entries and of bytes.
type answerCache struct {
	mutex                sync.Mutex
	entriesMax, bytesMax int
	entries              map[string]*list.Element
	// The one used longest ago is the last.
	order list.List
	bytes int
}

func (c *answerCache) get(key string) *kept {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	found := c.entries[key]
	if found == nil {
		return nil
	}
	c.order.MoveToFront(found)
	return found.Value.(*kept)
}

func (c *answerCache) remove(element *list.Element) {
	old := c.order.Remove(element).(*kept)
	delete(c.entries, old.key)
	c.bytes -= old.bytes
}

// Makes room by forgetting what was not used for longest; what is larger than all the room is not kept.
func (c *answerCache) set(k *kept) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if old := c.entries[k.key]; old != nil {
		c.remove(old)
	}
	if k.bytes > c.bytesMax {
		return
	}
	if c.entries == nil {
		c.entries = map[string]*list.Element{}
	}
	c.entries[k.key] = c.order.PushFront(k)
	c.bytes += k.bytes
	for len(c.entries) > c.entriesMax || c.bytes > c.bytesMax {
		c.remove(c.order.Back())
	}
}

func (c *answerCache) clear() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.entries, c.bytes = nil, 0
	c.order.Init()
}

// What is kept of a query, asked for anew: the same as before, or as last, when nothing that it was made of has changed.
func fresh[T any](ctx context.Context, s *server, c *compiled, read func(d *decoder, value *T), last *kept) (*kept, error) {
	url := s.origin + "/execute"
	key := ""
	var known *kept
	// Of a token; who has another one may see another result.
	find := func(token string) {
		key = url + "\n" + token + "\n" + string(c.relation)
		known = s.cache.get(key)
		if known == nil && last != nil && last.key == key {
			known = last
		}
		if known != nil {
			if _, ok := known.value.(*T); !ok {
				known = nil
			}
		}
	}
	keep := func(text []byte, tag string) (*kept, error) {
		// Somebody else may have asked at the same time: it is one result, and one pointer.
		if other := s.cache.get(key); other != nil {
			_, isSame := other.value.(*T)
			if isSame && (tag != "" && other.tag == tag || tag == "" && bytes.Equal(other.text, text)) {
				return other, nil
			}
		}
		value := new(T)
		if err := decode(c, text, func(d *decoder) { read(d, value) }); err != nil {
			return nil, err
		}
		now := &kept{key: key, tag: tag, text: text, value: value, bytes: len(key) + 2*len(text)}
		s.cache.set(now)
		return now, nil
	}
	if !s.takesNoQuery.Load() {
		answer, err := s.ask(ctx, c, asked{
			method: "QUERY", url: url, body: c.relation,
			headers: func(token string, to http.Header) {
				find(token)
				to.Set("Content-Type", "application/vnd.svc.lir+json")
				to.Set("Accept", "application/json")
				if known != nil && known.tag != "" {
					to.Set("If-None-Match", known.tag)
				}
			},
			isUsable: func(body []byte) bool {
				d := &decoder{input: body}
				return len(d.skip()) > 0 && d.peek() == 0
			},
		})
		if err == nil {
			tag := answer.Header.Get("Etag")
			if known != nil && (answer.Status == 304 || tag != "" && tag == known.tag) {
				return known, nil
			}
			return keep(answer.Body, tag)
		}
		var refused *TransportError
		if !errors.As(err, &refused) || refused.Status != 405 && refused.Status != 501 {
			return nil, err
		}
		s.takesNoQuery.Store(true)
	}
	members, err := s.post(ctx, c, "", func(token string, _ http.Header) { find(token) })
	if err != nil {
		return nil, err
	}
	if known != nil && bytes.Equal(known.text, members["result"]) {
		return known, nil
	}
	return keep(members["result"], "")
}

func compileRelation[T any](what Runnable[T]) (*compiled, func(d *decoder, value *T), error) {
	c, read, err := what.compile("")
	if err == nil && c.relation == nil {
		err = buildErrorf("%s: only queries can be kept, not programs", c.name)
	}
	return c, read, err
}

// Cached is the result of a query: the same pointer as long as nothing that it was made of has changed. All who ask share it: it is not to be changed.
func Cached[T any](ctx context.Context, r Runner, what Runnable[T]) (*T, error) {
	c, read, err := compileRelation(what)
	if err != nil {
		return nil, err
	}
	found, err := fresh(ctx, r.at(), c, read, nil)
	if err != nil {
		return nil, err
	}
	return found.value.(*T), nil
}

// Watch is the result of a query now, and again whenever it has changed; it is looked at after each `every`, a tenth more or less. It ends with the first
// error, that of the context too.
func Watch[T any](ctx context.Context, r Runner, what Runnable[T], every time.Duration) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		c, read, err := compileRelation(what)
		if every <= 0 {
			err = buildErrorf("Watch wants more than 0 between two looks, not %s", every)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		channel := r.at().channel
		world := channel.options.world
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(channel.closed, cancel)()
		var last *kept
		for {
			now, err := fresh(ctx, r.at(), c, read, last)
			if err != nil {
				yield(nil, err)
				return
			}
			if last == nil || now.value != last.value {
				if !yield(now.value.(*T), nil) {
					return
				}
			}
			last = now
			pause := time.Duration(float64(every) * (0.9 + world.random()/5))
			if err := world.sleep(ctx, pause); err != nil {
				message := "given up"
				if channel.closed.Err() != nil {
					message = "the client is closed"
				}
				yield(nil, &TransportError{Phase: PhaseAborted, Message: message, Operation: c.name, cause: err})
				return
			}
		}
	}
}
