/** The plan as a graph. Loaded when a plan is looked at. */
import dagre from "@dagrejs/dagre";
import type { Todo } from "@parley/client";
import { Background, Controls, Handle, MarkerType, Position, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import type { Edge, Node, NodeProps } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { memo, useEffect, useMemo } from "react";
import { useWords } from "../words";
import { TodoMark } from "./TodoList";

type TodoNode = Node<{ todo: Todo; number: number; down: boolean }, "todo">;

const WIDTH = 180;
const HEIGHT = 56;
/** More todos than these may not fit: then there are buttons to zoom. */
const MANY = 6;

interface GraphProps {
  todos: readonly Todo[];
  onConnect: ((from: string, to: string) => void) | undefined;
  onDisconnect: ((from: string, to: string) => void) | undefined;
}

export default function Graph(props: GraphProps) {
  return (
    <div className={props.onConnect ? "graph graph-edited" : "graph"} style={{ height: heightOf(props.todos) }}>
      <ReactFlowProvider>
        <Drawn {...props} />
      </ReactFlowProvider>
    </div>
  );
}

const types = { todo: memo(TodoBox) };

function Drawn({ todos, onConnect, onDisconnect }: GraphProps) {
  const w = useWords();
  const shape = todos.map((t) => `${t.id}<${t.depends_on.join()}`).join(";");
  // Places follow from the shape alone, not from how far the work is.
  const places = useMemo(() => placesOf(todos), [shape]);
  const down = goesDown(todos);
  const nodes = useMemo(() => todos.map((todo, i): TodoNode => ({
    id: todo.id, type: "todo", position: places.get(todo.id) ?? { x: 0, y: 0 }, data: { todo, number: i + 1, down }, width: WIDTH, height: HEIGHT, connectable: onConnect !== undefined,
    ariaLabel: `${i + 1}. ${todo.task}: ${w.todoStatus[todo.status]}`,
  })), [todos, places, down, onConnect, w]);
  const edges = useMemo(() => todos.flatMap((t) => t.depends_on.map((d): Edge => ({
    id: `${d}>${t.id}`, source: d, target: t.id, animated: t.status === "in_progress", deletable: onDisconnect !== undefined, focusable: onDisconnect !== undefined,
    markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
  }))), [todos, onDisconnect]);
  const flow = useReactFlow();
  useEffect(() => {
    const frame = requestAnimationFrame(() => void flow.fitView({ padding: 0.12, maxZoom: 1 }));
    return () => cancelAnimationFrame(frame);
  }, [flow, shape]);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={types}
      nodesDraggable={false}
      nodesConnectable={onConnect !== undefined}
      onConnect={(c) => onConnect?.(c.source, c.target)}
      onEdgesDelete={(gone) => gone.forEach((e) => onDisconnect?.(e.source, e.target))}
      zoomOnScroll={false}
      preventScrolling={false}
      fitView
      fitViewOptions={{ padding: 0.12, maxZoom: 1 }}
      minZoom={0.2}
      proOptions={{ hideAttribution: true }}
      aria-label={w.graph}
    >
      <Background gap={16} size={1} />
      {todos.length > MANY && <Controls showInteractive={false} />}
    </ReactFlow>
  );
}

function TodoBox({ data: { todo, number, down } }: NodeProps<TodoNode>) {
  return (
    <div className={`box box-${todo.status}`} title={todo.task}>
      <Handle type="target" position={down ? Position.Top : Position.Left} />
      <TodoMark todo={todo} />
      <span className="box-words"><span className="box-number">{number}</span> {todo.task}</span>
      {todo.status === "in_progress" && todo.progress_percentage ? <span className="box-progress" style={{ width: `${todo.progress_percentage}%` }} /> : null}
      <Handle type="source" position={down ? Position.Bottom : Position.Right} />
    </div>
  );
}

/** How many todos come one after the other, and how many stand beside each other at most. */
function extent(todos: readonly Todo[]): { long: number; wide: number } {
  const rank = new Map<string, number>();
  const rankOf = (t: Todo, above: readonly string[] = []): number => {
    const known = rank.get(t.id);
    if (known !== undefined || above.includes(t.id)) return known ?? 0;
    const before = todos.filter((o) => t.depends_on.includes(o.id)).map((o) => rankOf(o, [...above, t.id]));
    rank.set(t.id, before.length > 0 ? Math.max(...before) + 1 : 0);
    return rank.get(t.id)!;
  };
  const ranks = todos.map((t) => rankOf(t));
  const long = Math.max(0, ...ranks) + 1;
  return { long, wide: Math.max(1, ...Array.from({ length: long }, (_, r) => ranks.filter((x) => x === r).length)) };
}

/** A plan that is longer than it is wide goes from the top down: it fits a narrow pane better. */
function goesDown(todos: readonly Todo[]): boolean {
  const { long, wide } = extent(todos);
  return long > 2 && wide <= 2;
}

function heightOf(todos: readonly Todo[]): number {
  const { long, wide } = extent(todos);
  const rows = goesDown(todos) ? long * (HEIGHT + 40) : wide * (HEIGHT + 16);
  return Math.min(380, Math.max(110, rows + 24));
}

/** Where each todo stands: what comes first on the left, or at the top. */
function placesOf(todos: readonly Todo[]): Map<string, { x: number; y: number }> {
  const graph = new dagre.graphlib.Graph().setGraph({ rankdir: goesDown(todos) ? "TB" : "LR", nodesep: 16, ranksep: 40 }).setDefaultEdgeLabel(() => ({}));
  for (const t of todos) graph.setNode(t.id, { width: WIDTH, height: HEIGHT });
  for (const t of todos) for (const d of t.depends_on) if (graph.hasNode(d)) graph.setEdge(d, t.id);
  dagre.layout(graph);
  const at = (t: Todo) => graph.node(t.id) as { x: number; y: number };
  const places = new Map<string, { x: number; y: number }>();
  const [along, across] = goesDown(todos) ? (["y", "x"] as const) : (["x", "y"] as const);
  for (const rank of new Set(todos.map((t) => at(t)[along]))) {
    const beside = todos.filter((t) => at(t)[along] === rank); // in the order of the list
    const stands = beside.map((t) => at(t)[across]).sort((a, b) => a - b);
    beside.forEach((t, i) => {
      const p = { ...at(t), [across]: stands[i]! };
      places.set(t.id, { x: p.x - WIDTH / 2, y: p.y - HEIGHT / 2 });
    });
  }
  return places;
}
