//go:build !headless

package window

import (
	"image"
	"image/color"

	"github.com/ebitengine/debugui"
	"github.com/hajimehoshi/ebiten/v2"
)

// assetControls are the filter, the order and the kinds, and the list's
// heading, which does not scroll away. It returns the height they take.
func (p *panel) assetControls(ctx *debugui.Context) int {
	a := &p.view.assets
	ctx.SetGridLayout([]int{40, -1, 150}, nil)
	ctx.Text("filter")
	if p.leaveField {
		ctx.Text(a.filter)
	} else {
		before := a.filter
		ctx.TextField(&a.filter)
		if a.filter != before {
			p.view.soon()
		}
	}
	ctx.Button(orderNames[a.order]).On(func() {
		a.order = (a.order + 1) % orderCount
		p.view.soon()
	})
	rows := 1 + p.kindButtons(ctx)
	height := rows * (rowHeight + spacing)
	head := p.view.sheet.Lines()
	p.lines(ctx, padding, head) // in line with the list, which its panel insets
	return height + len(head)*lineHeight + spacing
}

// kindsPerRow is how many kinds stand side by side.
const kindsPerRow = 5

func (p *panel) kindButtons(ctx *debugui.Context) (rows int) {
	a := &p.view.assets
	ctx.SetGridLayout([]int{-1, -1, -1, -1, -1}, nil)
	ctx.Button(chosen("all kinds", a.all)).On(func() {
		a.all = true
		p.view.soon()
	})
	ctx.Loop(len(a.kinds), func(i int) {
		k := &a.kinds[i]
		ctx.Button(chosen(k.label, !a.all && a.kind == k.kind)).On(func() {
			a.all, a.kind = false, k.kind
			p.view.soon()
		})
	})
	return (len(a.kinds) + 1 + kindsPerRow - 1) / kindsPerRow
}

// Columns of a gauge, in pixels.
const (
	gaugeLabel  = 19 * letterWidth
	gaugeFigure = 44 * letterWidth
)

// bars draws gauges one below the other.
func (p *panel) bars(ctx *debugui.Context, list []gauge) {
	if len(list) == 0 {
		return
	}
	ctx.SetGridLayout(nil, []int{len(list) * lineHeight})
	ctx.GridCell(func(at image.Rectangle) {
		ctx.SetGridLayout(nil, []int{-1})
		ctx.DrawOnlyWidget(func(screen *ebiten.Image) { p.drawBars(screen, at, list) })
	})
}

func (p *panel) drawBars(screen *ebiten.Image, at image.Rectangle, list []gauge) {
	left, right := float32(at.Min.X+gaugeLabel), float32(at.Max.X-gaugeFigure-8)
	for i := range list {
		g := &list[i]
		if g.share < 0 {
			continue
		}
		y := float32(at.Min.Y + i*lineHeight)
		p.paint.rect(left, y+3, right, y+lineHeight-3, colorTrough)
		full := left + (right-left)*float32(min(g.share, 1))
		p.paint.rect(left, y+3, full, y+lineHeight-3, toneColors[g.tone])
	}
	p.paint.flush(screen)
	for i := range list {
		g := &list[i]
		y := at.Min.Y + i*lineHeight
		p.paint.text(screen, at.Min.X, y, toneText, g.label)
		p.paint.text(screen, at.Max.X-gaugeFigure, y, toneText, g.figure)
	}
}

// The graph of frames, in pixels.
const (
	graphHeight   = 72
	graphBarWidth = 2
)

// graph shows the times of the last frames, and in front of them the part that
// was streaming work.
func (p *panel) graph(ctx *debugui.Context) {
	ctx.SetGridLayout(nil, []int{graphHeight})
	ctx.GridCell(func(at image.Rectangle) {
		ctx.SetGridLayout(nil, []int{-1})
		ctx.DrawOnlyWidget(func(screen *ebiten.Image) { p.drawGraph(screen, at) })
	})
}

func (p *panel) drawGraph(screen *ebiten.Image, at image.Rectangle) {
	left, bottom := float32(at.Min.X), float32(at.Max.Y)
	right := left + frameTimesKept*graphBarWidth
	p.paint.rect(left, bottom-graphHeight, right, bottom, colorTrough)
	t := p.times
	top := t.graphTop()
	scale := graphHeight / top
	x := right - float32(t.Len()*graphBarWidth)
	for i := range t.Len() {
		p.paint.rect(x, bottom-min(t.At(i), top)*scale, x+graphBarWidth, bottom, frameColor(t.At(i)))
		x += graphBarWidth
	}
	history := p.view.snap.History
	x = right - float32(len(history)*graphBarWidth)
	for i := range history {
		ms := float32(history[i].Elapsed.Seconds() * 1e3)
		p.paint.rect(x, bottom-min(ms, top)*scale, x+graphBarWidth, bottom, colorWork)
		x += graphBarWidth
	}
	goal := bottom - frameGoalMS*scale
	p.paint.rect(left, goal, right, goal+1, colorStripe)
	p.paint.flush(screen)
	p.graphLegend(screen, int(right)+8, at.Min.Y)
}

func (p *panel) graphLegend(screen *ebiten.Image, x, y int) {
	for i, l := range [...]struct {
		color color.RGBA
		text  string
	}{
		{colorFrame, "frame, in 16.7 ms"}, {colorSlow, "frame over that"}, {colorPeak, "frame over twice that"}, {colorWork, "streaming work of it"},
	} {
		top := y + 3 + i*lineHeight
		p.paint.rect(float32(x), float32(top+4), float32(x+8), float32(top+12), l.color)
		p.paint.flush(screen)
		p.paint.text(screen, x+12, top, toneText, l.text)
	}
}

// frameColor tells frames that missed the goal, with some room for the
// display's own jitter, and those that missed two.
func frameColor(ms float32) color.RGBA {
	switch {
	case ms > 2*frameGoalMS:
		return colorPeak
	case ms > frameGoalMS*1.1:
		return colorSlow
	}
	return colorFrame
}
