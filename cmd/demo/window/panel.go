//go:build !headless

package window

import (
	"image"
	"strconv"
	"time"

	"github.com/ebitengine/debugui"
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"
)

// panel is the residency panel on the screen: one window of the debug UI over
// a view.
type panel struct {
	view       view
	ui         debugui.DebugUI
	paint      *paint
	open       bool
	leaveField bool // leave the filter out once, which takes its focus away
	hover      int  // line of the list under the mouse, -1: none
	over       bool // the mouse is over the panel's window
	times      *frameTimes

	width, height int    // of the window that the panel was laid out for
	layout        string // names that layout to the debug UI
}

// Where the panel stands, in pixels.
const (
	panelMargin   = 10
	panelWidthMax = 720
	panelEdgeMin  = 96
	panelTop      = statusRowsMax*lineHeight + 8 // below the status line
	padding       = 5                            // of the debug UI's containers
	spacing       = 4                            // between its widgets
	rowHeight     = 18                           // of its widgets
	scrollbar     = 12
)

func (p *panel) toggle() {
	p.open = !p.open
	p.view.soon()
}

// update runs the panel and tells what of the input is its own.
func (p *panel) update(g *game) (over, typing bool, err error) {
	if !p.open {
		return false, false, nil
	}
	p.times = &g.times
	p.view.refresh(g.demo.Session(), time.Now())
	bounds := p.bounds(g.width, g.height)
	state, err := p.ui.Update(func(ctx *debugui.Context) error {
		ctx.IDScope(p.layout, func() {
			ctx.Window("Residency", bounds, func(l debugui.ContainerLayout) { p.window(ctx, l) })
		})
		return nil
	})
	p.over = state&debugui.InputCapturingStateHover != 0
	return p.over, state&debugui.InputCapturingStateFocus != 0, err
}

// bounds is where the panel stands in a window of this size. A new size lays it
// out anew, or its handles could end up out of reach.
func (p *panel) bounds(width, height int) image.Rectangle {
	if p.width != width || p.height != height || p.layout == "" {
		p.width, p.height = width, height
		p.layout = strconv.Itoa(width) + "x" + strconv.Itoa(height)
	}
	return image.Rect(panelMargin, panelTop,
		panelMargin+min(max(width-2*panelMargin, panelEdgeMin), panelWidthMax), max(height-panelMargin, panelTop+panelEdgeMin))
}

func (p *panel) draw(screen *ebiten.Image) {
	if p.open {
		p.ui.Draw(screen)
	}
}

// window lays out the tabs, and the page in the space that is left.
func (p *panel) window(ctx *debugui.Context, l debugui.ContainerLayout) {
	ctx.SetGridLayout([]int{-1, -1, -1, -1, -1, -1}, nil)
	ctx.Loop(int(pageCount), func(i int) {
		ctx.Button(chosen(pageNames[i], p.view.want == page(i))).On(func() { p.choose(page(i)) })
	})
	height := l.BodyBounds.Dy() - 2*padding - rowHeight - spacing
	if p.view.page == pageAssets {
		height -= p.assetControls(ctx)
	}
	columns := (l.BodyBounds.Dx() - 4*padding - scrollbar) / letterWidth
	if columns != p.view.columns {
		p.view.columns = columns
		p.view.soon()
	}
	ctx.SetGridLayout(nil, []int{max(lineHeight, height)})
	// A scroll position of its own for each page.
	ctx.IDScope(pageNames[p.view.page], func() {
		ctx.Panel(func(l debugui.ContainerLayout) { p.page(ctx, l) })
	})
}

func (p *panel) choose(to page) {
	p.view.want = to
	p.view.soon()
}

// chosen marks the label of what is chosen.
func chosen(label string, is bool) string {
	if is {
		return "[ " + label + " ]"
	}
	return label
}

// page draws the page that the view was built for.
func (p *panel) page(ctx *debugui.Context, l debugui.ContainerLayout) {
	v := &p.view
	if v.bound && (v.page == pageOverview || v.page == pageFrame) {
		p.graph(ctx)
	}
	p.bars(ctx, v.gauges.All())
	if v.bound && v.page == pageAssets {
		p.list(ctx, l)
		return
	}
	p.lines(ctx, 0, v.sheet.Lines())
}

// lines draws text as one widget, which costs nothing for what is out of
// sight. indent is in pixels.
func (p *panel) lines(ctx *debugui.Context, indent int, lines []line) {
	if len(lines) == 0 {
		return
	}
	ctx.SetGridLayout(nil, []int{len(lines) * lineHeight})
	ctx.GridCell(func(at image.Rectangle) {
		ctx.SetGridLayout(nil, []int{-1})
		ctx.DrawOnlyWidget(func(screen *ebiten.Image) {
			first, count := inSight(screen.Bounds(), at, len(lines))
			for i := first; i < first+count; i++ {
				p.paint.text(screen, at.Min.X+indent, at.Min.Y+i*lineHeight, lines[i].tone, lines[i].text)
			}
		})
	})
}

// inSight is which lines of a text at a place are inside the clip.
func inSight(clip, at image.Rectangle, lines int) (first, count int) {
	first = max(0, (clip.Min.Y-at.Min.Y)/lineHeight)
	last := min(lines, (clip.Max.Y-at.Min.Y+lineHeight-1)/lineHeight)
	return first, max(0, last-first)
}

// list draws the assets in sight, and opens the row that is clicked.
func (p *panel) list(ctx *debugui.Context, l debugui.ContainerLayout) {
	v := &p.view
	n := len(v.assets.lines)
	if n == 0 {
		p.lines(ctx, 0, []line{{"nothing here: no asset passes", toneDim}})
		return
	}
	ctx.SetGridLayout(nil, []int{n * lineHeight})
	ctx.GridCell(func(at image.Rectangle) {
		p.hover = p.lineUnderMouse(l.BodyBounds, at, n)
		if p.hover >= 0 && inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft) {
			if v.assets.toggle(v.snap.Store.Rows, p.hover) {
				v.soon()
			}
		}
		ctx.SetGridLayout(nil, []int{-1})
		ctx.DrawOnlyWidget(func(screen *ebiten.Image) { p.drawList(screen, at) })
	})
}

func (p *panel) lineUnderMouse(body, at image.Rectangle, lines int) int {
	mouse := image.Pt(ebiten.CursorPosition())
	if !p.over || !mouse.In(body) || !mouse.In(at) {
		return -1
	}
	return min((mouse.Y-at.Min.Y)/lineHeight, lines-1)
}

func (p *panel) drawList(screen *ebiten.Image, at image.Rectangle) {
	v := &p.view
	first, count := inSight(screen.Bounds(), at, len(v.assets.lines))
	if p.hover >= 0 {
		y := float32(at.Min.Y + p.hover*lineHeight)
		p.paint.rect(float32(at.Min.X), y, float32(at.Max.X), y+lineHeight, colorHover)
		p.paint.flush(screen)
	}
	for i, l := range v.assets.sight(v.snap.Store.Rows, first, count, v.columns, v.kindName) {
		p.paint.text(screen, at.Min.X, at.Min.Y+(first+i)*lineHeight, l.tone, l.text)
	}
}
