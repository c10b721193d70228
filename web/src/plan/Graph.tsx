/** The plan as a graph. Loaded when a plan is looked at. */
import dagre from "@dagrejs/dagre";
import type { Todo } from "@parley/client";
import { Background, Controls, Handle, MarkerType, Position, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import type { Edge, Node, NodeProps } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { memo, useEffect, useMemo } from "react";
import { useWords } from "../words";
import { TodoMark } from "./TodoList";

type TodoNode = Node<{ todo: Todo; number: number }, "todo">;

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
    <div className={props.onConnect ? "graph graph-edited" : "graph"}>
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
  // eslint-disable-next-line react-hooks/exhaustive-deps -- places follow from the shape alone, not from how far the work is
  const places = useMemo(() => placesOf(todos), [shape]);
  const nodes = useMemo(() => todos.map((todo, i): TodoNode => ({
    id: todo.id, type: "todo", position: places.get(todo.id) ?? { x: 0, y: 0 }, data: { todo, number: i + 1 }, width: WIDTH, height: HEIGHT, connectable: onConnect !== undefined,
    ariaLabel: `${i + 1}. ${todo.task}: ${w.todoStatus[todo.status]}`,
  })), [todos, places, onConnect, w]);
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

function TodoBox({ data: { todo, number } }: NodeProps<TodoNode>) {
  return (
    <div className={`box box-${todo.status}`} title={todo.task}>
      <Handle type="target" position={Position.Left} />
      <TodoMark todo={todo} />
      <span className="box-words"><span className="box-number">{number}</span> {todo.task}</span>
      {todo.status === "in_progress" && todo.progress_percentage ? <span className="box-progress" style={{ width: `${todo.progress_percentage}%` }} /> : null}
      <Handle type="source" position={Position.Right} />
    </div>
  );
}

/** Where each todo stands: what comes first on the left. */
function placesOf(todos: readonly Todo[]): Map<string, { x: number; y: number }> {
  const graph = new dagre.graphlib.Graph().setGraph({ rankdir: "LR", nodesep: 16, ranksep: 40 }).setDefaultEdgeLabel(() => ({}));
  for (const t of todos) graph.setNode(t.id, { width: WIDTH, height: HEIGHT });
  for (const t of todos) for (const d of t.depends_on) if (graph.hasNode(d)) graph.setEdge(d, t.id);
  dagre.layout(graph);
  const at = (t: Todo) => graph.node(t.id) as { x: number; y: number };
  const places = new Map<string, { x: number; y: number }>();
  for (const x of new Set(todos.map((t) => at(t).x))) {
    const column = todos.filter((t) => at(t).x === x); // in the order of the list, from the top
    const heights = column.map((t) => at(t).y).sort((a, b) => a - b);
    column.forEach((t, i) => places.set(t.id, { x: x - WIDTH / 2, y: heights[i]! - HEIGHT / 2 }));
  }
  return places;
}
