package art

import (
	"bytes"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"
)

// finish is a material of a model. Texture names are those of [sharedTextures].
type finish struct {
	name         string
	texture      string
	normal, orm  bool
	tint         [3]float64 // zero: white
	metal, rough float64
	glow         [3]float64
}

// part is one mesh with one material on a node of its own.
type part struct {
	name   string
	mesh   mesh
	finish finish
	at     [3]float64
	turn   [4]float64 // quaternion, zero: none
	child  bool       // of the part before that is not a child
}

// writeModel writes name.gltf and name.bin.
func writeModel(dir, name string, parts []part) error {
	doc := gltf.NewDocument()
	doc.Asset.Generator = "hallway art"
	images, materials := map[string]int{}, map[string]int{}
	root := -1
	for i := range parts {
		p := &parts[i]
		material, ok := materials[p.finish.name]
		if !ok {
			material = addMaterial(doc, images, &p.finish)
			materials[p.finish.name] = material
		}
		node := addNode(doc, p, material)
		if p.child && root >= 0 {
			doc.Nodes[root].Children = append(doc.Nodes[root].Children, node)
		} else {
			root = node
			doc.Scenes[0].Nodes = append(doc.Scenes[0].Nodes, node)
		}
	}
	base := name[lastSlash(name)+1:]
	doc.Buffers[0].URI = base + ".bin"
	if err := write(dir, name+".bin", doc.Buffers[0].Data); err != nil {
		return err
	}
	var text bytes.Buffer
	encoder := gltf.NewEncoder(&text)
	encoder.AsBinary = false
	encoder.SetJSONIndent("", " ")
	if err := encoder.Encode(doc); err != nil {
		return err
	}
	return write(dir, name+".gltf", text.Bytes())
}

func addNode(doc *gltf.Document, p *part, material int) int {
	m := &p.mesh
	doc.Meshes = append(doc.Meshes, &gltf.Mesh{Name: p.name, Primitives: []*gltf.Primitive{{
		Attributes: gltf.PrimitiveAttributes{
			gltf.POSITION:   modeler.WritePosition(doc, m.pos),
			gltf.NORMAL:     modeler.WriteNormal(doc, m.normal),
			gltf.TEXCOORD_0: modeler.WriteTextureCoord(doc, m.uv),
			gltf.COLOR_0:    modeler.WriteColor(doc, m.color),
		},
		Indices:  gltf.Index(modeler.WriteIndices(doc, m.index)),
		Material: gltf.Index(material),
	}}})
	node := &gltf.Node{Name: p.name, Mesh: gltf.Index(len(doc.Meshes) - 1), Translation: p.at}
	if p.turn != [4]float64{} {
		node.Rotation = p.turn
	}
	doc.Nodes = append(doc.Nodes, node)
	return len(doc.Nodes) - 1
}

func addMaterial(doc *gltf.Document, images map[string]int, f *finish) int {
	tint := f.tint
	if tint == [3]float64{} {
		tint = [3]float64{1, 1, 1}
	}
	pbr := &gltf.PBRMetallicRoughness{
		BaseColorFactor: &[4]float64{tint[0], tint[1], tint[2], 1},
		MetallicFactor:  gltf.Float(f.metal),
		RoughnessFactor: gltf.Float(f.rough),
	}
	m := &gltf.Material{Name: f.name, PBRMetallicRoughness: pbr, EmissiveFactor: f.glow}
	color := addTexture(doc, images, f.texture)
	pbr.BaseColorTexture = &gltf.TextureInfo{Index: color}
	if f.normal {
		m.NormalTexture = &gltf.NormalTexture{Index: gltf.Index(addTexture(doc, images, f.texture+"_normal"))}
	}
	if f.orm {
		orm := addTexture(doc, images, f.texture+"_orm")
		pbr.MetallicRoughnessTexture = &gltf.TextureInfo{Index: orm}
		m.OcclusionTexture = &gltf.OcclusionTexture{Index: gltf.Index(orm)}
	}
	if f.glow != [3]float64{} {
		m.EmissiveTexture = &gltf.TextureInfo{Index: color}
	}
	doc.Materials = append(doc.Materials, m)
	return len(doc.Materials) - 1
}

func addTexture(doc *gltf.Document, images map[string]int, name string) int {
	if i, ok := images[name]; ok {
		return i
	}
	doc.Images = append(doc.Images, &gltf.Image{Name: name, URI: "../textures/" + name + ".png"})
	doc.Textures = append(doc.Textures, &gltf.Texture{Source: gltf.Index(len(doc.Images) - 1)})
	images[name] = len(doc.Textures) - 1
	return images[name]
}

func lastSlash(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '/' {
			return i
		}
	}
	return -1
}
