package shop

import "fmt"

const Limit = 3

const (
	First = iota // func no() {}
	Second
)

type Cart[T any] struct {
	items []T
}

type (
	Name   string
	Priced interface {
		Price() int
		fmt.Stringer
	}
)

func New() *Cart[int] { return &Cart[int]{} }

func (c *Cart[T]) Add(item T, then func(T) error) (n int, err error) {
	type local struct{ a int }
	text := `func no() {`
	go func() { fmt.Println(text) }()
	return
}

func Map[A, B any](a []A, f func(A) B) []B { return nil }
